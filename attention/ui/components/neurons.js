const rowOf = (element) => element?.closest("tr[data-row]")?.dataset.row;

/** A table that Python made; a click on a row, or Enter on its name, chooses its key. The keyboard keeps its place. */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const scrolled = root.querySelector(".figure")?.scrollTop ?? 0;
  const active = rowOf(root.getRootNode().activeElement);
  root.innerHTML = data;
  const buttons = [...root.querySelectorAll("tr[data-row] button")];
  buttons.find((button) => rowOf(button) === active)?.focus({ preventScroll: true });
  oneStop(root, buttons, Math.max(0, buttons.findIndex((button) => button.closest(".focus"))));
  const window_ = root.querySelector(".figure");
  window_.scrollTop = scrolled;
  window_.onclick = (event) => {
    const row = rowOf(event.target);
    if (row !== undefined) setTriggerValue("picked", Number(row));
  };
}
