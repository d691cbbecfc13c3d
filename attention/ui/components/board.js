const current = (element, on) => (on ? element.setAttribute("aria-current", "true") : element.removeAttribute("aria-current"));

/** Move the marks: the query's rows, the key's rows and columns, the chosen cells. */
function mark(grid, query, key) {
  grid.style.setProperty("--q", query);
  const at = (element, side) => Number(element.dataset[side]);
  for (const row of grid.querySelectorAll("tbody tr")) {
    const ofKey = "k" in row.dataset;
    current(row, ofKey ? at(row, "k") === key : at(row, "q") === query);
    for (const cell of row.querySelectorAll("td[data-k]")) current(cell, at(row, "q") === query && at(cell, "k") === key);
  }
  for (const head of grid.querySelectorAll("thead th[data-k]")) current(head, at(head, "k") === key);
}

/** Which pair a click on a cell or a label means; what it leaves open stays as it is. */
function pairAt(target, pair) {
  const side = (name) => target.closest(`[data-${name}]`)?.dataset[name];
  return { query: Number(side("q") ?? pair.query), key: Number(side("k") ?? pair.key) };
}

/** The one focusable element, which outlives every redraw. */
function stageOf(root) {
  const label = "The seven steps with their numbers. Up and down choose the query, left and right the key.";
  return root.querySelector(".stage") ?? add(root, "div", { class: "stage", tabindex: 0, role: "group", "aria-label": label });
}

/** What a screen reader hears of the pair: its names, and its cell in each table that has one. */
function tell(grid) {
  const cells = [...grid.querySelectorAll("td[aria-current]")];
  const numbers = cells.map((cell) => `${cell.closest("table").caption.textContent} ${cell.textContent}`);
  return cells.length ? `${cells[0].closest("tr").querySelector("th").textContent}: ${numbers.join(", ")}` : "";
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const stage = stageOf(root);
  stage.innerHTML = data;
  const grid = stage.querySelector(".grid");
  const n = Number(grid.dataset.n);
  const pair = { query: Number(grid.dataset.query), key: Number(grid.dataset.key) };
  const pick = ({ query, key }) => {
    if (query === pair.query && key === pair.key) return;
    Object.assign(pair, { query, key });
    mark(grid, query, key); // at once; the sums below are Python's
    setTriggerValue("picked", [query, key]);
  };
  stage.onclick = (event) => pick(pairAt(event.target, pair));
  stage.onkeydown = (event) => {
    const step = ARROWS[event.key];
    if (!step) return;
    event.preventDefault();
    pick({ query: clamp(pair.query + step[0], 0, n - 1), key: clamp(pair.key + step[1], 0, n - 1) });
  };
  if (root.getRootNode().activeElement === stage) say(root, tell(grid));
}
