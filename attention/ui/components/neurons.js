/** A table that Python made; a click on a row, or Enter on its name, chooses its key. */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const scrolled = root.querySelector(".figure")?.scrollTop ?? 0;
  root.innerHTML = data;
  const window_ = root.querySelector(".figure");
  window_.scrollTop = scrolled;
  window_.onclick = (event) => {
    const row = event.target.closest("tr[data-row]");
    if (row) setTriggerValue("picked", Number(row.dataset.row));
  };
}
