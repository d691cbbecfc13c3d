// Where everything in the step strip stands, for a width. Nothing is drawn here.

const INSIDE = 8; // between the matrices of one step
const ABOVE = 64; // number, name and the letters over the matrices
const BELOW = 80; // formula, shape and number
const BETWEEN_ROWS = 14;

const isSquare = (matrix) => matrix.width === null;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** How wide the row labels are: as the longest token, within reason. */
function labelWidth(labels) {
  return Math.min(84, Math.max(0, ...labels.map((label) => label.length)) * 7 + 12);
}

/** The room before a matrix for the names of its rows: where keys are another sequence, and K, V or M begin. */
function leadOf(step, index, lead) {
  return step.matrices[index].rows === "key" && step.matrices[index - 1]?.rows !== "key" ? lead : 0;
}

const leadsOf = (step, lead) => sum(step.matrices.map((_, index) => leadOf(step, index, lead)));

/** The width of a row of steps, without its squares; and how many squares there are. */
function fixedOf(row, gap, lead) {
  const matrices = row.flatMap((step) => step.matrices);
  const inside = sum(row.map((step) => (step.matrices.length - 1) * INSIDE));
  return {
    fixed: sum(matrices.map((matrix) => matrix.width ?? 0)) + sum(row.map((step) => leadsOf(step, lead))) + inside + (row.length - 1) * gap,
    squares: matrices.filter(isSquare).length,
  };
}

/** The largest square with which every row of steps fits. */
function largestSquare(rows, available, gap, lead) {
  const sizes = rows.map((row) => fixedOf(row, gap, lead)).filter(({ squares }) => squares);
  return Math.min(...sizes.map(({ fixed, squares }) => (available - fixed) / squares));
}

function stepWidth(step, square, lead) {
  return leadsOf(step, lead) + sum(step.matrices.map((matrix) => matrix.width ?? square)) + (step.matrices.length - 1) * INSIDE;
}

/** Put steps into rows as words into lines. */
function wrap(steps, available, square, { gap, lead }) {
  const rows = [];
  let used = Infinity;
  for (const step of steps) {
    const width = stepWidth(step, square, lead);
    if (used + gap + width > available) {
      rows.push([]);
      used = -gap;
    }
    rows.at(-1).push(step);
    used += gap + width;
  }
  return rows;
}

/** All steps in one row where they fit, else two rows that break after the first scores, else as they fall. */
function rowsFor(steps, width, available, { gap, lead }, wanted) {
  const after = steps.findIndex((step) => step.matrices.some(isSquare)) + 1;
  const choices = [
    [940, [steps]],
    [520, [steps.slice(0, after), steps.slice(after)]],
  ];
  for (const [least, rows] of choices) {
    const square = Math.min(wanted, largestSquare(rows, available, gap, lead));
    if (width >= least && square >= 72) return { rows, square };
  }
  const square = clamp((available - gap) / 2, 60, wanted);
  return { rows: wrap(steps, available, square, { gap, lead }), square };
}

/** Where one matrix stands and how large its cells are. */
function placeMatrix(matrix, x, y, plan, head) {
  const rows = matrix.rows === "key" ? head.key_labels.length : head.query_labels.length;
  const width = matrix.width ?? head.key_labels.length * plan.cell;
  return { matrix, x, y, width, height: rows * plan.cell, rows, lead: 0 };
}

function placeStep(step, x, y, plan, head) {
  let left = x;
  const boxes = step.matrices.map((matrix, index) => {
    left += leadOf(step, index, plan.lead);
    const box = placeMatrix(matrix, left, y + ABOVE, plan, head);
    box.lead = leadOf(step, index, plan.lead);
    left += (matrix.width ?? plan.square) + INSIDE;
    return box;
  });
  return { step, x, y, width: left - INSIDE - x, boxes, under: y + ABOVE };
}

function placeRow(row, y, plan, head) {
  let x = plan.labels + 10;
  const steps = row.map((step) => {
    const placed = placeStep(step, x, y, plan, head);
    x += placed.width + plan.gap;
    return placed;
  });
  const tall = Math.max(...steps.flatMap(({ boxes }) => boxes.map((box) => box.height)));
  for (const placed of steps) placed.under += tall; // the words of a row stand at one height, below its tallest matrix
  return { y: y + ABOVE, end: x - plan.gap, steps, height: ABOVE + tall + BELOW };
}

/** The whole plan: rows of steps, each with its boxes, and the one height of a matrix's row. */
function planOf(width, head) {
  const longest = Math.max(head.query_labels.length, head.key_labels.length);
  const labels = labelWidth(head.query_labels);
  const gap = width > 1000 ? 24 : 22;
  const wanted = Math.min(220, Math.max(96, 26 * longest));
  const lead = head.two_sequences ? labelWidth(head.key_labels) : 0;
  const { rows, square } = rowsFor(head.steps, width, width - labels - 10, { gap, lead }, wanted);
  const plan = { width, labels, lead, gap, square, cell: square / longest };
  let y = 0;
  plan.rows = rows.map((row) => {
    const placed = placeRow(row, y, plan, head);
    y += placed.height + BETWEEN_ROWS;
    return placed;
  });
  plan.height = y - BETWEEN_ROWS - 10;
  return plan;
}
