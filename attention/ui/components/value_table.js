const SHOWN = 8;
const choices = new WeakMap(); // how each table is sorted and whether it is unfolded; kept when numbers change

/** Largest first; positions in reading order. */
function compare(by) {
  return (a, b) => (by === "position" ? a.dataset[by] - b.dataset[by] : b.dataset[by] - a.dataset[by]);
}

/** Put the rows in order, hide what is not among the first, and say in the header how it is sorted. */
function arrange(root, { by, unfolded }) {
  const body = root.querySelector("tbody");
  const rows = [...body.querySelectorAll("tr.pair")].sort(compare(by));
  rows.forEach((row, index) => (row.hidden = !unfolded && index >= SHOWN));
  body.prepend(...rows);
  root.querySelector("table").style.setProperty("--end", root.querySelector("table").getAttribute(`data-end-${by}`));
  for (const rest of body.querySelectorAll("tr.rest")) {
    rest.hidden = rest.dataset.sort !== by;
    rest.classList.toggle("unfolded", unfolded);
  }
  for (const button of body.querySelectorAll("button")) {
    button.setAttribute("aria-expanded", unfolded);
    button.textContent = unfolded ? "show fewer" : `${button.dataset.count} more`;
  }
  for (const button of root.querySelectorAll("th button")) {
    const order = by === "position" ? "ascending" : "descending";
    button.parentElement.setAttribute("aria-sort", button.dataset.sort === by ? order : "none");
  }
}

function show(root, parentElement, data) {
  const active = parentElement.activeElement?.dataset.sort; // the keyboard's place, by what its button sorts
  const within = parentElement.activeElement?.closest("tbody") ? "tbody" : "thead";
  root.innerHTML = data;
  const choice = choices.get(root) ?? { by: "weight", unfolded: false };
  choices.set(root, choice);
  const change = (what) => {
    Object.assign(choice, what);
    arrange(root, choice);
  };
  for (const button of root.querySelectorAll("th button")) button.onclick = () => change({ by: button.dataset.sort });
  for (const button of root.querySelectorAll("tbody button")) button.onclick = () => change({ unfolded: !choice.unfolded });
  arrange(root, choice);
  if (active) root.querySelector(`${within} button[data-sort="${active}"]`)?.focus();
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root");
  inTurn(root, () => show(root, parentElement, data));
}
