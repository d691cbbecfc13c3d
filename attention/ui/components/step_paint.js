// One matrix of the step strip, on its canvas.

/** How large the cells of a matrix are on its canvas. */
function cellsOf({ width, height, rows }, array) {
  const columns = array.shape[1];
  return { rows, columns, across: width / columns, down: height / rows };
}

/** The colour of one entry on its matrix's scale; nothing where it may not be seen. */
function colourOf(value, matrix, ramps) {
  const share = value / matrix.limit;
  return colourAt(ramps[matrix.ramp], matrix.signed ? 0.5 + 0.5 * share : share);
}

/** Cells end on whole device pixels, or hairlines of the background would show between them. */
function fillCell(pen, cells, row, column) {
  const density = window.devicePixelRatio || 1;
  const edge = (at) => Math.round(at * density) / density;
  const [left, top] = [edge(column * cells.across), edge(row * cells.down)];
  pen.fillRect(left, top, edge((column + 1) * cells.across) - left, edge((row + 1) * cells.down) - top);
}

/** Runs of masked cells in one row, as [first, after last]. */
function maskedRuns(allowed, row, columns) {
  const runs = [];
  for (let column = 0; column < columns; column++) {
    if (allowed.values[row * columns + column]) continue;
    const first = column;
    while (column < columns && !allowed.values[row * columns + column]) column++;
    runs.push([first, column]);
  }
  return runs;
}

function paintMasked(pen, cells, allowed, palette) {
  for (let row = 0; row < cells.rows; row++)
    for (const [first, end] of maskedRuns(allowed, row, cells.columns)) {
      const run = { x: first * cells.across, y: row * cells.down, width: (end - first) * cells.across, height: cells.down };
      hatch(pen, run, palette);
    }
}

/** What stands in a cell: its number, −∞ for a masked score, nothing for a masked weight. */
function textIn(value, matrix, open) {
  if (!open) return matrix.signed ? "−∞" : "";
  return matrix.signed ? signedText(value) : weightText(value, 0.005);
}

function writeNumbers(pen, cells, { matrix, array, allowed, ramps, palette }) {
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (let row = 0; row < cells.rows; row++)
    for (let column = 0; column < cells.columns; column++) {
      const at = row * cells.columns + column;
      const open = !matrix.hatched || allowed.values[at] === 1;
      pen.fillStyle = open ? textOn(colourOf(array.values[at], matrix, ramps)) : palette.masked;
      pen.fillText(textIn(array.values[at], matrix, open), (column + 0.5) * cells.across, (row + 0.5) * cells.down);
    }
}

/** Draw a matrix: colours, then hatching, then numbers where cells are large enough to hold them. */
function paintMatrix(canvas, box, look) {
  const { matrix, array, allowed, ramps, palette } = look;
  const cells = cellsOf(box, array);
  const pen = penOf(canvas, box.width, box.height);
  for (let row = 0; row < cells.rows; row++)
    for (let column = 0; column < cells.columns; column++) {
      const value = array.values[row * cells.columns + column];
      if (!Number.isFinite(value)) continue;
      pen.fillStyle = css(colourOf(value, matrix, ramps));
      fillCell(pen, cells, row, column);
    }
  if (matrix.hatched) paintMasked(pen, cells, allowed, palette);
  if (Math.min(cells.across, cells.down) >= 25) {
    pen.font = `11px ${getComputedStyle(canvas).fontFamily}`;
    writeNumbers(pen, cells, look);
  }
  pen.strokeStyle = palette.line;
  pen.lineWidth = 1;
  pen.strokeRect(0.5, 0.5, box.width - 1, box.height - 1);
}

/** Which dimensions a cell stands for: one, or the strongest of several. */
function dimsOf(matrix, column) {
  const first = column * matrix.group;
  const last = Math.min(first + matrix.group, matrix.dims) - 1;
  return first === last ? `dimension ${first}` : `strongest of dimensions ${first}–${last}`;
}

/** What the tooltip says about one entry. */
function tellEntry(head, { matrix, array, allowed }, row, column) {
  const at = row * array.shape[1] + column;
  const who = (matrix.rows === "key" ? head.key_labels : head.query_labels)[row];
  if (!isSquare(matrix)) return `${who}  ·  ${dimsOf(matrix, column)}\n${digits(array.values[at])}`;
  const closed = matrix.hatched && !allowed.values[at];
  const value = closed ? `${matrix.signed ? "−∞" : "0"}  (masked)` : digits(array.values[at]);
  return `${who} → ${head.key_labels[column]}\n${value}`;
}
