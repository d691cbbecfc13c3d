/** Which row labels there is room for, thinned out where they would touch; the one in focus is always there. */
function labelsFor(labels, focus, cell) {
  const crowded = cell < 7.9;
  const every = crowded ? Math.ceil(11.5 / cell) : 1;
  const size = crowded ? 10.5 : clamp(cell * 0.9, 10, 13);
  const fits = (index) => !crowded || index === focus || !(index % every || Math.abs(index - focus) < every);
  return { size, shown: labels.map((text, index) => ({ text, index })).filter(({ index }) => fits(index)) };
}

/** The names of the keys, beside the first matrix that has a row for each of them. */
function drawKeyLabels(stage, box, plan, { head, query, key, pick }) {
  const focus = key - head.first_key;
  const { size, shown } = labelsFor(head.key_labels, focus, plan.cell);
  for (const { text, index } of shown) {
    const place = `left:${box.x - plan.lead - 4}px;width:${plan.lead}px;top:${box.y + (index + 0.5) * plan.cell - 7}px`;
    const kind = `label of-key${index === focus ? " focus" : ""}`;
    const label = add(stage, "div", { text, class: kind, style: `${place};font-size:${size}px` });
    label.onclick = () => pick(query, head.first_key + index);
  }
}

/** Row labels: the queries'. */
function drawLabels(stage, row, plan, view) {
  const { head, query, pick } = view;
  const focus = query - head.first_query;
  const { size, shown } = labelsFor(head.query_labels, focus, plan.cell);
  shown.forEach(({ text, index }) => {
    const blind = head.sightless.includes(head.first_query + index);
    const label = add(stage, "div", {
      text, class: `label${index === focus ? " focus" : ""}${blind ? " blind" : ""}`,
      style: `width:${plan.labels}px;top:${row.y + (index + 0.5) * plan.cell - 7}px;font-size:${size}px`,
    });
    if (blind) label.title = "sees nothing: every key is masked for this query";
    label.onclick = () => pick(head.first_query + index, view.key);
  });
}

/** The query's line, behind everything: one height from its vector to the mix it takes away. */
function drawLine(stage, row, plan, { head, query }) {
  const at = query - head.first_query;
  if (at < 0 || at >= head.query_labels.length) return;
  const left = plan.labels + 6;
  const style = `left:${left}px;top:${row.y + (at + 0.5) * plan.cell - 0.5}px;width:${row.end - left}px`;
  stage.prepend(add(stage, "div", { class: "line", style }));
}

function outline(stage, { x, y, width, height }, thickness, colour) {
  const place = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
  add(stage, "div", { class: "outline", style: `${place};border-width:${thickness}px;border-color:${colour}` });
}

/** The marks on one matrix: the row of the query, or of the key; and the chosen cell. */
function drawMarks(stage, box, plan, { head, query, key }) {
  const { matrix } = box;
  const thickness = clamp(plan.cell / 4, 1.5, 2);
  const ofKey = matrix.rows === "key";
  const row = ofKey ? key - head.first_key : query - head.first_query;
  if (row < 0 || row >= box.rows) return;
  const [y, height] = [box.y + row * plan.cell - 1.5, plan.cell + 3];
  const colour = head.palette[ofKey ? matrix.role : "query"];
  outline(stage, { x: box.x - 2, y, width: box.width + 4, height }, thickness, colour);
  const column = key - head.first_key;
  if (!isSquare(matrix) || column < 0 || column >= head.key_labels.length) return;
  outline(stage, { x: box.x + column * plan.cell - 1.5, y, width: plan.cell + 3, height }, thickness, head.palette.ink);
}

/** Which query and key a click on a matrix means. */
function pairAt(box, row, column, { head, query, key }) {
  if (isSquare(box.matrix)) return [head.first_query + row, head.first_key + column];
  return box.matrix.rows === "key" ? [query, head.first_key + row] : [head.first_query + row, key];
}

function drawMatrix(stage, box, view) {
  const { head, arrays, ramps, tip, pick } = view;
  const { matrix, x, y } = box;
  const look = { matrix, array: arrays[matrix.array], allowed: arrays.allowed, ramps, palette: head.palette };
  const canvas = add(stage, "canvas", { style: `left:${x}px;top:${y}px` });
  paintMatrix(canvas, box, look);
  const cells = cellsOf({ ...box, columns: look.array.shape[1] });
  canvas.onmousemove = (event) =>
    tip.show(tellEntry(head, look, ...cellAt(cells, event)), x + event.offsetX, y + event.offsetY);
  canvas.onmouseleave = tip.hide;
  canvas.onclick = (event) => pick(...pairAt(box, ...cellAt(cells, event), view));
  if (!matrix.label) return;
  const style = `left:${x}px;top:${y - 18}px;width:${box.width}px;color:${head.palette[matrix.role]}`;
  add(stage, "div", { class: "letter", text: matrix.label, style });
}

/** The words over and under a step. Its name is a button, so that keys and fingers reach its sentence too. */
function drawWords(stage, { step, x, y, under }, view) {
  const { palette } = view.head;
  const words = [
    ["order", y, step.number, palette.text2],
    ["name", y + 17, step.name, palette[step.role]],
    ["formula", under + 9, step.formula, palette.ink],
    ["shape", under + 30, step.shape, palette.text2],
    ["value", under + 50, step.value, palette[step.value_role]],
  ];
  for (const [name, top, text, colour] of words) {
    const button = name === "name" ? { type: "button", "data-step": step.name } : {};
    const tag = name === "name" ? "button" : "div";
    const word = add(stage, tag, { class: name, text, style: `left:${x}px;top:${top}px;color:${colour}`, ...button });
    if (name === "value" && step.value_says) word.title = step.value_says;
    word.onmouseenter = word.onfocus = word.onclick = () => view.explain(step);
  }
}

/** The strip for the pair in focus, at the width there is. */
function render(stage, view) {
  const { head } = view;
  const plan = planOf(stage.clientWidth, head);
  const focused = stage.getRootNode().activeElement?.dataset.step;
  stage.replaceChildren();
  stage.style.height = `${plan.height}px`;
  for (const row of plan.rows) {
    drawLabels(stage, row, plan, view);
    for (const placed of row.steps) {
      drawWords(stage, placed, view);
      for (const box of placed.boxes) drawMatrix(stage, box, view);
      for (const box of placed.boxes) if (box.lead) drawKeyLabels(stage, box, plan, view);
      for (const box of placed.boxes) drawMarks(stage, box, plan, view);
    }
    drawLine(stage, row, plan, view);
  }
  stage.classList.toggle("moving", view.query !== head.query || view.key !== head.key);
  if (focused) [...stage.querySelectorAll(".name")].find((name) => name.dataset.step === focused)?.focus();
}

/** The element for the arrow keys, which outlives every redraw, with the sentence and the note under it. */
function frameOf(root, head) {
  const part = (name, attributes) => root.querySelector(`.${name}`) ?? add(root, "div", { class: name, ...attributes });
  const stage = part("stage", { tabindex: 0, role: "application" });
  const sentence = part("sentence", { "aria-live": "polite" });
  const pair = `query ${labelOf(head, "query", head.query)}, key ${labelOf(head, "key", head.key)}`;
  const keys = "Up and down choose the query, left and right the key.";
  stage.setAttribute("aria-label", `${head.steps.length} steps of one head for ${pair}. ${keys}`);
  part("note").textContent = head.note ? `Shown here: ${head.note}.` : "";
  const explain = (step) => {
    if (sentence.textContent === `${step.number} ${step.name}. ${step.sentence}`) return;
    sentence.replaceChildren();
    sentence.dataset.step = step.name;
    add(sentence, "b", { text: `${step.number} ${step.name}. ` });
    sentence.append(step.sentence);
  };
  const told = head.steps.find((step) => step.name === sentence.dataset.step);
  explain(told ?? head.steps.find((step) => step.matrices.some(isSquare)));
  return { stage, explain };
}

const labelOf = (head, side, position) => head[`${side}_labels`][position - head[`first_${side}`]] ?? position;

/** What a screen reader hears once Python has answered: the pair and the numbers of its steps. */
function tellPair(head) {
  const numbers = head.steps.filter((step) => step.value).map((step) => `${step.name} ${step.value}`);
  return `${labelOf(head, "query", head.query)} looks at ${labelOf(head, "key", head.key)}: ${numbers.join(", ")}`;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const { head, arrays } = unpack(data);
  const root = dress(parentElement, head.palette);
  const ramps = Object.fromEntries(Object.entries(head.ramps).map(([name, hex]) => [name, rampOf(hex)]));
  const { stage, explain } = frameOf(root, head);
  const [query, key] = pairOf(root, head);
  const view = { head, arrays, ramps, explain, query, key, tip: tooltipOf(root) };
  view.pick = (query, key) => {
    if (query === view.query && key === view.key) return;
    Object.assign(view, { query, key });
    render(stage, view); // the marks move at once; the numbers are Python's and stay dim until it answers
    ask(root, [query, key], setTriggerValue);
  };
  stage.onkeydown = (event) => {
    const step = ARROWS[event.key];
    if (!step) return;
    event.preventDefault();
    view.pick(clamp(view.query + step[0], 0, head.n_queries - 1), clamp(view.key + step[1], 0, head.n_keys - 1));
  };
  if (stage.contains(root.getRootNode().activeElement)) say(root, tellPair(head));
  return onResize(root, () => inTurn(root, () => render(stage, view)));
}
