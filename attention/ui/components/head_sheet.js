// What each sheet shows as chosen. It outlives a remount, since Python does not repeat a click to us.
const chosen = new Map();

/** Where the squares are, for a width: `pitch` from one to the next, `cell` each, after `left` and `top`. */
function gridOf(width, layers, heads, { height, marks }) {
  const left = marks.length ? 40 : 28;
  const top = 20;
  const gap = heads > 16 ? 3 : 5;
  const tall = Math.max(18, height / layers);
  const cell = Math.max(8, Math.floor(Math.min(56, (width - left - 8) / heads, tall) - gap));
  const pitch = cell + gap;
  return { left, top, cell, pitch, width: left + heads * pitch + 4, height: top + layers * pitch + 4 };
}

/** All heads, one beside the other, as one picture to cut from. */
function atlasOf({ shape, values }, ramp) {
  const [layers, heads, rows, columns] = shape;
  const atlas = document.createElement("canvas");
  atlas.width = heads * columns;
  atlas.height = layers * rows;
  const pen = atlas.getContext("2d");
  const image = pen.createImageData(atlas.width, atlas.height);
  const pixels = new Uint32Array(image.data.buffer);
  const words = ramp.map(([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red);
  let from = 0;
  for (let layer = 0; layer < layers; layer++)
    for (let head = 0; head < heads; head++)
      for (let row = 0; row < rows; row++) {
        let to = (layer * rows + row) * atlas.width + head * columns;
        for (let column = 0; column < columns; column++) pixels[to++] = words[values[from++]];
      }
  pen.putImageData(image, 0, 0);
  return atlas;
}

/** A ring beside each marked row: for every one of them, also where names have no room. */
function ring(pen, grid, { marks, palette }) {
  pen.strokeStyle = palette.ink;
  pen.lineWidth = 1.5;
  for (const row of marks) {
    pen.beginPath();
    pen.arc(grid.left - 11, grid.top + row * grid.pitch + grid.cell / 2, 3, 0, 2 * Math.PI);
    pen.stroke();
  }
}

/** Row and column numbers, left out where they would touch. */
function number(pen, grid, { rows, columns, palette }) {
  const across = Math.ceil((columns.length > 10 ? 25 : 19) / grid.pitch);
  const down = Math.ceil(12 / grid.pitch);
  pen.fillStyle = palette.text2;
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  for (let head = 0; head < columns.length; head += across) pen.fillText(columns[head], grid.left + head * grid.pitch + grid.cell / 2, 8);
  pen.textAlign = "left";
  for (let layer = 0; layer < rows.length; layer += down) pen.fillText(rows[layer], 2, grid.top + layer * grid.pitch + grid.cell / 2);
}

/** A head that is off: faded to a quarter, and crossed. */
function crossOut(pen, x, y, cell, palette) {
  pen.globalAlpha = 0.75;
  pen.fillStyle = palette.bg;
  pen.fillRect(x, y, cell, cell);
  pen.globalAlpha = 1;
  pen.strokeStyle = palette.masked;
  pen.lineWidth = 1.5;
  const inset = Math.min(3, cell / 5);
  pen.beginPath();
  pen.moveTo(x + inset, y + inset);
  pen.lineTo(x + cell - inset, y + cell - inset);
  pen.moveTo(x + cell - inset, y + inset);
  pen.lineTo(x + inset, y + cell - inset);
  pen.stroke();
}

/** What each square says, in black or white on its own colour, where it fits. */
function write(pen, grid, head, { shape, values }) {
  const widest = Math.max(0, ...head.texts.flat().map((text) => pen.measureText(text).width));
  if (!widest || widest > grid.cell - 4 || grid.cell < 15) return;
  const ramp = rampOf(head.ramp);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  head.texts.forEach((row, layer) =>
    row.forEach((text, at) => {
      const hatched = head.hatched.some(([other, beside]) => other === layer && beside === at);
      pen.fillStyle = hatched ? head.palette.masked : textOn(ramp[values[layer * shape[1] + at]]);
      pen.fillText(text, grid.left + at * grid.pitch + grid.cell / 2, grid.top + layer * grid.pitch + grid.cell / 2 + 1);
    }),
  );
}

function paint(canvas, atlas, grid, { head, shades }) {
  const { shape } = shades;
  const [layers, heads, rows, columns] = shape;
  const { cell, pitch, left, top } = grid;
  const pen = penOf(canvas, grid.width, grid.height);
  pen.font = `11px ${getComputedStyle(canvas).fontFamily}`;
  number(pen, grid, head);
  ring(pen, grid, head);
  pen.imageSmoothingEnabled = Math.max(rows, columns) > cell;
  pen.lineWidth = 1;
  pen.strokeStyle = head.palette.line;
  for (let layer = 0; layer < layers; layer++)
    for (let at = 0; at < heads; at++) {
      const [x, y] = [left + at * pitch, top + layer * pitch];
      pen.drawImage(atlas, at * columns, layer * rows, columns, rows, x, y, cell, cell);
      pen.strokeRect(x - 0.5, y - 0.5, cell + 1, cell + 1);
    }
  for (const [layer, at] of head.hatched) {
    hatch(pen, { x: left + at * pitch, y: top + layer * pitch, width: cell, height: cell }, head.palette);
  }
  write(pen, grid, head, shades);
  for (const [layer, at] of head.heads_off) crossOut(pen, left + at * pitch, top + layer * pitch, cell, head.palette);
}

/** What lies under a point: a head, and the place inside its square. */
function hit({ offsetX, offsetY }, grid, shape) {
  const [layers, heads, rows, columns] = shape;
  const [x, y] = [offsetX - grid.left, offsetY - grid.top];
  const [layer, at] = [Math.floor(y / grid.pitch), Math.floor(x / grid.pitch)];
  if (layer < 0 || at < 0 || layer >= layers || at >= heads) return null;
  const inside = (offset, index, count) => clamp(Math.floor(((offset - index * grid.pitch) / grid.cell) * count), 0, count - 1);
  return { layer, at, row: inside(y, layer, rows), column: inside(x, at, columns) };
}

/** The tokens that one row or column stands for: one, or from … to when the picture is pooled. */
function tokensAt(labels, index, count) {
  const first = Math.floor((index * labels.length) / count);
  const last = Math.max(first, Math.floor(((index + 1) * labels.length) / count) - 1);
  return first === last ? labels[first] : `${labels[first]} … ${labels[last]}`;
}

const nameOf = (head, layer, at) => [head.names[layer][at], head.notes[layer]?.[at]].filter(Boolean).join("\n");

/** The head's name and its notes; then, where tokens are known, the pair under the pointer and its weight. */
function describe(spot, head, { shape, values }) {
  const [, heads, rows, columns] = shape;
  const lines = [nameOf(head, spot.layer, spot.at)];
  const shade = values[((spot.layer * heads + spot.at) * rows + spot.row) * columns + spot.column] / 255;
  const pair = [tokensAt(head.query_tokens, spot.row, rows), tokensAt(head.key_tokens, spot.column, columns)];
  if (head.query_tokens.length) lines.push(`here ${pair.join(" → ")}  ≈ ${(shade ** (1 / head.exponent)).toFixed(2)}`);
  return lines.join("\n");
}

/** Put the frame round the chosen head and say so to whoever cannot see it. */
function mark(root, canvas, grid, [layer, at]) {
  const frame = root.querySelector(".frame");
  const { left, top, pitch, cell } = grid;
  frame.style.left = `${canvas.offsetLeft + left + at * pitch - 4}px`;
  frame.style.top = `${canvas.offsetTop + top + layer * pitch - 4}px`;
  frame.style.width = frame.style.height = `${cell + 8}px`;
}

function nameCanvas(canvas, [layers, heads], [layer, at], { names }) {
  const [, number, beside] = names[layer][at].match(/L(\d+) H(\d+)/);
  const label = `All heads: ${layers} layers by ${heads} heads. Layer ${number} head ${beside} is chosen. Arrow keys choose another.`;
  canvas.setAttribute("aria-label", label);
}

export default function ({ data, parentElement, setStateValue }) {
  const { head, arrays } = unpack(data);
  const { shades } = arrays;
  const root = dress(parentElement, head.palette);
  const canvas = root.querySelector("canvas");
  const tip = tooltipOf(root);
  const atlas = atlasOf(shades, rampOf(head.ramp));
  if (chosen.get(head.element)?.stamp !== head.stamp) chosen.set(head.element, { stamp: head.stamp, at: head.selected });
  const current = () => chosen.get(head.element).at;
  const [layers, heads] = shades.shape;
  let grid = gridOf(root.clientWidth, layers, heads, head);
  const show = () => {
    mark(root, canvas, grid, current());
    nameCanvas(canvas, shades.shape, current(), head);
  };
  const pick = (layer, at) => {
    chosen.get(head.element).at = [layer, at];
    show();
    say(root, nameOf(head, layer, at));
    setStateValue("selected", [layer, at, Date.now()]); // the time tells a second click on a head from a rerun
  };
  canvas.onclick = (event) => {
    const spot = hit(event, grid, shades.shape);
    if (spot) pick(spot.layer, spot.at);
  };
  canvas.onmousemove = (event) => {
    const spot = hit(event, grid, shades.shape);
    const left = event.offsetX - canvas.parentElement.scrollLeft;
    if (spot) tip.show(describe(spot, head, shades), left, event.offsetY);
    else tip.hide();
  };
  canvas.onmouseleave = tip.hide;
  canvas.onkeydown = (event) => {
    const step = ARROWS[event.key];
    if (!step) return;
    event.preventDefault();
    const next = [clamp(current()[0] + step[0], 0, layers - 1), clamp(current()[1] + step[1], 0, heads - 1)];
    if (next.join() !== current().join()) pick(...next);
  };
  return onResize(root, (width) => {
    grid = gridOf(width, layers, heads, head);
    paint(canvas, atlas, grid, { head, shades });
    show();
  });
}
