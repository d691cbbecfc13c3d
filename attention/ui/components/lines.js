const SVG = "http://www.w3.org/2000/svg";
const WORTH_DRAWING = 0.02; // for everybody's lines at once
const WORTH_SHOWING = 0.005; // for the lines of one token
const MOST_DRAWN = 800; // a long text's lines would cover each other

function draw(parent, tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
}

/** Room for the words on each side: as the longest of them, but never more than two fifths. */
function marginOf(width, labels, size) {
  const longest = Math.max(...labels.map((label) => label.length));
  return clamp(Math.max(longest * size * 0.56 + 14, 108), width * 0.27, width * 0.4);
}

/** Where both columns stand, for a width: all of the picture's measures in one place. */
function planOf(width, head) {
  const n = Math.max(head.query_labels.length, head.key_labels.length);
  const across = Math.min(560, width);
  const row = n > 24 ? 17 : Math.min(34, 460 / n);
  const top = 28;
  const size = Math.min(15, row * 0.8);
  return {
    width: across, height: top + n * row + 6, size,
    left: marginOf(across, head.query_labels, size), right: across - marginOf(across, head.key_labels, size),
    y: (index) => top + (index + 0.5) * row,
  };
}

function curve(parent, plan, query, key, weight, opacity) {
  const [from, to, middle] = [plan.y(query), plan.y(key), (plan.left + plan.right) / 2];
  const path = `M${plan.left} ${from}C${middle} ${from},${middle} ${to},${plan.right} ${to}`;
  const line = draw(parent, "path", { d: path, "stroke-width": 0.6 + 5.5 * weight });
  if (opacity !== undefined) line.style.strokeOpacity = opacity;
}

/** The weight from which on a line is drawn for everybody: a small one, or that of the last of the strongest. */
function leastDrawn(values) {
  const large = values.filter((weight) => weight >= WORTH_DRAWING).sort();
  return large[Math.max(0, large.length - MOST_DRAWN)] ?? WORTH_DRAWING;
}

/** Everybody's lines, faint: what the chosen token's lines are seen against. */
function drawAll(group, plan, { shape, values }) {
  const [n_queries, n_keys] = shape;
  const least = leastDrawn(values);
  for (let query = 0; query < n_queries; query++)
    for (let key = 0; key < n_keys; key++) {
      const weight = values[query * n_keys + key];
      if (weight >= least) curve(group, plan, query, key, weight);
    }
}

/** The lines of one token: those that leave a query, or those that reach a key. */
function drawOwn(group, plan, { shape, values }, { side, index }) {
  group.replaceChildren();
  const [n_queries, n_keys] = shape;
  const count = side === "query" ? n_keys : n_queries;
  for (let other = 0; other < count; other++) {
    const [query, key] = side === "query" ? [index, other] : [other, index];
    const weight = values[query * n_keys + key];
    if (weight >= WORTH_SHOWING) curve(group, plan, query, key, weight, 0.35 + 0.65 * weight);
  }
}

function heading(svg, plan, side) {
  const left = side === "query";
  const text = draw(svg, "text", {
    x: left ? plan.left - 8 : plan.right + 8, y: 12, class: side, "font-size": 13, "text-anchor": left ? "end" : "start",
  });
  text.textContent = left ? "query, looks →" : "key, looked at";
}

function classOf(head, allowed, side, index) {
  if (index === head[side]) return `token ${side}`;
  const closed = side === "key" && head.query !== null && allowed.values[head.query * allowed.shape[1] + index] === 0;
  return closed ? "token masked" : "token";
}

function drawToken(svg, plan, head, allowed, side, index) {
  const left = side === "query";
  const name = head[`${side}_labels`][index];
  const chosen = index === head[side];
  const kind = classOf(head, allowed, side, index);
  const token = draw(svg, "text", {
    x: left ? plan.left - 8 : plan.right + 8, y: plan.y(index), "font-size": plan.size, class: kind,
    "text-anchor": left ? "end" : "start", role: "button", "data-side": side, "data-index": index,
    "aria-label": `${side} ${name}, position ${index}`, "aria-pressed": chosen, tabindex: chosen ? 0 : -1,
  });
  token.textContent = name;
  if (kind.endsWith("masked")) draw(token, "title", {}).textContent = "masked for this query";
  return token;
}

/** Hover shows a token's own lines; a click or Enter picks it; up and down walk through its column. */
function listen(token, { show, rest, pick, walk }) {
  const at = { side: token.dataset.side, index: Number(token.dataset.index) };
  token.onmouseenter = token.onfocus = () => show(at);
  token.onmouseleave = token.onblur = rest;
  token.onclick = () => pick(at);
  token.onkeydown = (event) => {
    const step = ARROWS[event.key]?.[0] ?? 0;
    if (step) walk(at, step);
    else if (event.key === "Enter" || event.key === " ") pick(at);
    else return;
    event.preventDefault();
  };
}

const find = (root, { side, index }) => root.querySelector(`[data-side="${side}"][data-index="${index}"]`);

/** Draw the picture anew, and leave the keyboard where it was. */
function render(root, { head, arrays, width, pick }) {
  const focused = root.getRootNode().activeElement?.dataset;
  const plan = planOf(width, head);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("width", plan.width);
  svg.setAttribute("height", plan.height);
  const [faint, own] = [draw(svg, "g", { class: "faint" }), draw(svg, "g", {})];
  const show = (at) => drawOwn(own, plan, arrays.weights, at);
  const rest = () => (head.query === null ? own.replaceChildren() : show({ side: "query", index: head.query }));
  const walk = (at, step) => find(svg, { side: at.side, index: at.index + step })?.focus();
  drawAll(faint, plan, arrays.weights);
  for (const side of ["query", "key"]) {
    heading(svg, plan, side);
    head[`${side}_labels`].forEach((_, index) => listen(drawToken(svg, plan, head, arrays.allowed, side, index), { show, rest, pick, walk }));
  }
  rest();
  root.replaceChildren(svg);
  if (focused?.side) find(svg, focused)?.focus();
  return plan;
}

/** Where the picture is taller than its window: bring the query's token into it, once for each new query. */
function scrollTo(root, y, query) {
  if (root.dataset.query === String(query)) return;
  root.dataset.query = query;
  if (y < root.scrollTop || y > root.scrollTop + root.clientHeight) root.scrollTop = y - root.clientHeight / 2;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const { head, arrays } = unpack(data);
  const root = dress(parentElement, head.palette);
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", head.label);
  const pick = ({ side, index }) => setTriggerValue("picked", [side, index]);
  return onResize(root, (width) => {
    const plan = render(root, { head, arrays, width, pick });
    if (head.query !== null) scrollTo(root, plan.y(head.query), head.query);
  });
}
