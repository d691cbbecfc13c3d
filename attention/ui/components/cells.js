// Cells of a matrix on a canvas: where their edges are, and those the mask closes.

/** How large the cells of a matrix are on its canvas. */
const cellsOf = ({ width, height, rows, columns }) => ({ rows, columns, across: width / columns, down: height / rows });

/** Where a cell lies: it ends on whole device pixels, or hairlines of the background would show between cells. */
function placeOf(cells, row, column, columnAfter = column + 1) {
  const density = window.devicePixelRatio || 1;
  const edge = (at) => Math.round(at * density) / density;
  const [x, y] = [edge(column * cells.across), edge(row * cells.down)];
  return { x, y, width: edge(columnAfter * cells.across) - x, height: edge((row + 1) * cells.down) - y };
}

/** Runs of closed cells in one row, as [first, after last]. */
function closedRuns(isOpen, row, columns) {
  const runs = [];
  for (let column = 0; column < columns; column++) {
    if (isOpen(row, column)) continue;
    const first = column;
    while (column < columns && !isOpen(row, column)) column++;
    runs.push([first, column]);
  }
  return runs;
}

/** Hatch every closed cell at once: one clip, one set of lines, so that hundreds of rows cost little. */
function paintClosed(pen, cells, isOpen, palette) {
  const path = new Path2D();
  let closed = false;
  for (let row = 0; row < cells.rows; row++)
    for (const [first, end] of closedRuns(isOpen, row, cells.columns)) {
      const { x, y, width, height } = placeOf(cells, row, first, end);
      path.rect(x, y, width, height);
      closed = true;
    }
  if (!closed) return;
  pen.save();
  pen.clip(path);
  hatch(pen, { x: 0, y: 0, width: cells.across * cells.columns, height: cells.down * cells.rows }, palette);
  pen.restore();
}

/** Row and column under a mouse. */
const cellAt = (cells, event) => [
  clamp(Math.floor(event.offsetY / cells.down), 0, cells.rows - 1),
  clamp(Math.floor(event.offsetX / cells.across), 0, cells.columns - 1),
];
