// One matrix of the step strip, on its canvas.

/** The colour of one entry on its matrix's scale; nothing where it may not be seen. */
function colourOf(value, matrix, ramps) {
  const share = value / matrix.limit;
  return colourAt(ramps[matrix.ramp], matrix.signed ? 0.5 + 0.5 * share : share);
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
  const cells = cellsOf({ ...box, columns: array.shape[1] });
  const pen = penOf(canvas, box.width, box.height);
  for (let row = 0; row < cells.rows; row++)
    for (let column = 0; column < cells.columns; column++) {
      const value = array.values[row * cells.columns + column];
      if (!Number.isFinite(value)) continue;
      const { x, y, width, height } = placeOf(cells, row, column);
      pen.fillStyle = css(colourOf(value, matrix, ramps));
      pen.fillRect(x, y, width, height);
    }
  if (matrix.hatched) paintClosed(pen, cells, (row, column) => allowed.values[row * cells.columns + column], palette);
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
