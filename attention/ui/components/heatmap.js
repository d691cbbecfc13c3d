const SVG = "http://www.w3.org/2000/svg";
const LEAST_BLOCK = 60;
const LEAST_NUMBERED = 22;
const BELOW = 44; // the bar and its numbers

function draw(parent, tag, { text, ...attributes }) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

/** Where the block of cells lies: a narrow column squeezes the cells and nothing else. */
function boxOf(available, { frame }, shape) {
  const width = clamp(available - frame.left - frame.right, LEAST_BLOCK, frame.width);
  return { ...frame, width, x: frame.left, y: frame.top, rows: shape[0], columns: shape[1] };
}

/** A picture of one pixel a cell, clear where the mask is closed. */
function pixelsOf({ values: shades, shape: [rows, columns] }, isOpen, ramp) {
  const image = new ImageData(columns, rows);
  for (let at = 0; at < shades.length; at++)
    if (isOpen(Math.floor(at / columns), at % columns)) image.data.set([...ramp[shades[at]], 255], 4 * at);
  const canvas = new OffscreenCanvas(columns, rows);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** Cells apart from one another, each with its number where there are few. */
function paintApart(pen, cells, { arrays, isOpen, ramp, head }) {
  for (let row = 0; row < cells.rows; row++)
    for (let column = 0; column < cells.columns; column++) {
      if (!isOpen(row, column)) continue;
      const [at, { x, y, width, height }] = [row * cells.columns + column, placeOf(cells, row, column)];
      const shade = ramp[arrays.shades.values[at]];
      pen.fillStyle = css(shade);
      pen.fillRect(x + 0.5, y + 0.5, width - 1, height - 1);
      if (!head.numbers || Math.min(width, height) < LEAST_NUMBERED) continue;
      pen.fillStyle = textOn(shade);
      pen.fillText(weightText(arrays.weights.values[at], 0.005), x + width / 2, y + height / 2 + 0.5);
    }
}

function paintCells(canvas, box, view) {
  const pen = penOf(canvas, box.width, box.height);
  const cells = cellsOf(box);
  paintClosed(pen, cells, view.isOpen, view.head.palette);
  if (view.head.apart) {
    pen.font = `12px ${getComputedStyle(canvas).fontFamily}`;
    [pen.textAlign, pen.textBaseline] = ["center", "middle"];
    return paintApart(pen, cells, view);
  }
  pen.imageSmoothingEnabled = false;
  pen.drawImage(pixelsOf(view.arrays.shades, view.isOpen, view.ramp), 0, 0, box.width, box.height);
}

/** As many names as there is room for: Python counts on cells that are not squeezed. The one in focus is there. */
function roomFor(ticks, pitch, height, focused) {
  let end = -Infinity;
  return ticks.filter(([index]) => {
    const near = focused !== null && index !== focused && Math.abs(index - focused) * pitch < height;
    if (index !== focused && (near || index * pitch < end)) return false;
    end = index * pitch + height;
    return true;
  });
}

/** The tokens of one side that have room; a click on one moves the focus there. */
function drawTicks(svg, box, view, side) {
  const { head, marked, pick } = view;
  const ofKey = side === "key";
  const pitch = ofKey ? box.width / box.columns : box.height / box.rows;
  const angle = head.leaning ? -45 : -90;
  const focused = marked[ofKey ? 1 : 0];
  for (const [index, text] of roomFor(head.ticks[side], pitch, head.sizes[side] + (ofKey && head.leaning ? 3 : 0), focused)) {
    const middle = (index + 0.5) * pitch;
    const [x, y] = ofKey ? [box.x + middle, box.y - 6] : [box.x - 6, box.y + middle];
    const turn = ofKey ? { transform: `rotate(${angle} ${x} ${y})` } : { "text-anchor": "end" };
    const focus = index === focused;
    const tick = draw(svg, "text", {
      text, x, y, "font-size": head.sizes[side], class: `tick ${side}${focus ? " focus" : ""}`, ...turn,
    });
    tick.onclick = () => pick(...(ofKey ? [marked[0], index] : [index, marked[1] ?? view.strongest(index)]));
  }
}

function drawNames(svg, box) {
  draw(svg, "text", { text: "query, looks ↓", x: box.x - 6, y: box.y - 10, class: "axis query", "text-anchor": "end" });
  draw(svg, "text", { text: "key, looked at →", x: box.x, y: 9, class: "axis key" });
}

/** The bar of colours with its three numbers. */
function drawLegend(svg, box, { head, ramp }) {
  const [x, y, width] = [box.x, box.y + box.height + 14, 150];
  const fill = draw(draw(svg, "defs", {}), "linearGradient", { id: "bar" });
  for (let step = 0; step <= 32; step++)
    draw(fill, "stop", { offset: step / 32, "stop-color": css(colourAt(ramp, step / 32)) });
  draw(svg, "rect", { x, y, width, height: 7, fill: "url(#bar)" });
  for (const [share, text] of head.legend)
    draw(svg, "text", { text, x: x + share * width, y: y + 15, class: "mark", "text-anchor": "middle" });
}

/** The words on each row without a key, where rows are high enough. */
function drawBlind(svg, box, { head }) {
  const pitch = box.height / box.rows;
  for (const row of head.blind)
    draw(svg, "text", {
      text: "sees nothing", x: box.x + box.width / 2, y: box.y + (row + 0.5) * pitch, class: "blind",
      "font-size": Math.min(12, pitch - 2), "text-anchor": "middle",
    });
}

function drawMarks(svg, box, { head, marked: [query, key] }) {
  if (query === null) return;
  const [across, down] = [box.width / box.columns, box.height / box.rows];
  const outside = (pitch) => (pitch < 8 ? 1 : 0); // a thin row would vanish under its own outline
  const outline = (x, width, colour) =>
    draw(svg, "rect", {
      x: x - outside(across), y: box.y + query * down - outside(down), class: "outline", stroke: colour,
      width: width + 2 * outside(across), height: down + 2 * outside(down),
    });
  outline(box.x, box.width, head.palette.query);
  if (key !== null) outline(box.x + key * across, across, head.palette.ink);
}

/** What a cell holds, in words. */
function tellCell({ head, arrays, isOpen }, row, column) {
  const [query, key] = [head.names.query[row], head.names.key[column]];
  const { values, shape } = arrays.weights;
  const closed = head.closed[Number(head.sightless.includes(row))];
  const said = isOpen(row, column) ? `weight ${digits(values[row * shape[1] + column])}` : closed;
  return `${query} looks at ${key}\n${said}`;
}

function render(root, { canvas, svg }, view, available) {
  const box = boxOf(available, view.head, view.arrays.weights.shape);
  const [width, height] = [box.left + box.width + box.right, box.top + box.height + BELOW];
  root.querySelector(".stage").style.cssText = `width:${width}px;height:${height}px`;
  canvas.style.cssText = `left:${box.x}px;top:${box.y}px`;
  paintCells(canvas, box, view);
  const cells = cellsOf(box);
  canvas.onmousemove = (event) =>
    view.tip.show(tellCell(view, ...cellAt(cells, event)), box.x + event.offsetX, box.y + event.offsetY);
  canvas.onmouseleave = view.tip.hide;
  canvas.onclick = (event) => view.click(...cellAt(cells, event));
  view.mark = () => {
    svg.replaceChildren();
    for (const [name, value] of Object.entries({ width, height })) svg.setAttribute(name, value);
    for (const side of ["query", "key"]) drawTicks(svg, box, view, side);
    drawNames(svg, box);
    drawLegend(svg, box, view);
    drawBlind(svg, box, view);
    drawMarks(svg, box, view);
  };
  view.mark();
}

/** The element for mouse and keys, which outlives every redraw. */
function partsOf(root, head) {
  const stage = root.querySelector(".stage");
  const canvas = stage.querySelector("canvas") ?? add(stage, "canvas", { tabindex: 0, role: "application" });
  const svg = stage.querySelector("svg") ?? draw(stage, "svg", { "aria-hidden": "true" });
  const keys = "Up and down choose the query, left and right the key";
  const notes = root.querySelector(".notes") ?? add(root, "div", { class: "notes" });
  notes.style.paddingLeft = `${head.frame.left}px`;
  notes.replaceChildren();
  for (const text of head.notes) add(notes, "div", { text });
  canvas.setAttribute("aria-label", `${head.label} ${keys}${head.opens ? "; Enter looks closer" : "; Enter lets go of the key"}.`);
  return { canvas, svg };
}

export default function ({ data, parentElement, setTriggerValue }) {
  const { head, arrays } = unpack(data);
  const root = dress(parentElement, head.palette);
  const { values, shape } = arrays.weights;
  const isOpen = (row, column) => !Number.isNaN(values[row * shape[1] + column]);
  const view = { head, arrays, isOpen, ramp: rampOf(head.ramp), tip: tooltipOf(root), marked: pairOf(root, head) };
  view.strongest = (row) => {
    const weights = [...values.subarray(row * shape[1], (row + 1) * shape[1])].map((weight) => weight || 0);
    return weights.indexOf(Math.max(...weights));
  };
  view.pick = (...pair) => {
    const [query, key] = pair.map((at) => at ?? 0);
    if (query === view.marked[0] && key === view.marked[1]) return;
    view.marked = [query, key];
    view.mark(); // at once: the rest of the page is Python's and follows
    ask(root, view.marked, setTriggerValue);
  };
  view.click = (row, column) => {
    if (head.opens) setTriggerValue("opened", [row, column]);
    else if (row === view.marked[0] && column === view.marked[1]) setTriggerValue("released", [row, column]);
    else view.pick(row, column);
  };
  const parts = partsOf(root, head);
  parts.canvas.onkeydown = (event) => {
    const [query, key] = view.marked.map((at) => at ?? 0);
    const step = ARROWS[event.key];
    if (step) view.pick(clamp(query + step[0], 0, shape[0] - 1), clamp(key + step[1], 0, shape[1] - 1));
    else if (event.key === "Enter") view.click(query, key);
    else return;
    event.preventDefault();
  };
  if (root.getRootNode().activeElement === parts.canvas) say(root, tellCell(view, ...view.marked.map((at) => at ?? 0)));
  return onResize(root, (width) => render(root, parts, view, width));
}
