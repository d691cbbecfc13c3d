const SVG = "http://www.w3.org/2000/svg";

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

/** Where both columns stand, for a width. How high rows are and what lines look like is Python's to say. */
function planOf(available, head) {
  const { look, rows } = head;
  const width = Math.min(look.width, available);
  return {
    width, height: rows.height, size: rows.size,
    left: marginOf(width, head.query_labels, rows.size), right: width - marginOf(width, head.key_labels, rows.size),
    y: (index) => look.top + (index + 0.5) * rows.pitch,
  };
}

/** The lines that Python sent: head among the strands, query, key, weight; the locked token's own come last. */
function linesOf({ shape, values }) {
  return Array.from({ length: shape[0] }, (_, at) => {
    const [strand, query, key, weight] = values.subarray(4 * at, 4 * at + 4);
    return { strand, query, key, weight };
  });
}

function curve(parent, plan, head, { strand, query, key, weight }, [least, more]) {
  const shift = head.strands[strand].shift;
  const [from, to, middle] = [plan.y(query) + shift, plan.y(key) + shift, (plan.left + plan.right) / 2];
  draw(parent, "path", {
    d: `M${plan.left} ${from}C${middle} ${from},${middle} ${to},${plan.right} ${to}`,
    class: `strand-${strand}`, stroke: head.strands[strand].colour,
    "stroke-width": head.look.thin + head.look.thick * weight, "stroke-opacity": least + more * weight,
  });
}

/** The names of the heads where their heaviest lines of one token end; one head needs none. */
function drawTags(group, plan, head, { side, index }) {
  const fromQuery = side === "query";
  for (const [row, names] of Object.entries(head.tags[side][index] ?? {})) {
    const tag = draw(group, "text", {
      x: fromQuery ? plan.right - 6 : plan.left + 6, y: plan.y(Number(row)), class: "tag",
      "text-anchor": fromQuery ? "end" : "start",
    });
    tag.textContent = names;
  }
}

/** One token's lines alone: those that leave a query, or those that reach a key. */
function drawOwn(group, plan, head, lines, at) {
  group.replaceChildren();
  for (const line of lines) if (line[at.side] === at.index) curve(group, plan, head, line, head.look.own);
  drawTags(group, plan, head, at);
}

/** Everybody's lines: faint where a token's own stand out against them. */
function drawOthers(group, plan, head, lines) {
  const { locked, look } = head;
  const others = locked ? lines.filter((line) => line[locked.side] !== locked.index) : lines;
  const opacity = locked ? [look.faint, 0] : look.free;
  for (const line of others.slice(-look.others)) curve(group, plan, head, line, opacity);
}

/** What the two columns are; it stays in sight while the rows scroll under it. */
function drawHeads(root, plan, look) {
  const heads = draw(root, "svg", { class: "heads", width: plan.width, height: look.top });
  for (const side of ["query", "key"]) heading(heads, plan, side);
}

function heading(heads, plan, side) {
  const left = side === "query";
  const text = draw(heads, "text", {
    x: left ? plan.left - 8 : plan.right + 8, y: 12, class: side, "font-size": 13, "text-anchor": left ? "end" : "start",
  });
  text.textContent = left ? "query, looks →" : "key, looked at";
}

function classOf(head, closed, side, index) {
  if (index === head[side]) return `token ${side}`;
  return side === "key" && head.query !== null && closed.values[index] ? "token masked" : "token";
}

const isLocked = ({ locked }, side, index) => locked?.side === side && locked.index === index;

function titleOf(kind, locked) {
  if (kind.endsWith("masked")) return "masked for this query";
  return locked ? "choose again to let go" : "choose to keep its lines";
}

function drawToken(svg, plan, head, closed, side, index) {
  const left = side === "query";
  const name = head[`${side}_labels`][index];
  const kind = classOf(head, closed, side, index);
  const locked = isLocked(head, side, index);
  const token = draw(svg, "text", {
    x: left ? plan.left - 8 : plan.right + 8, y: plan.y(index), "font-size": plan.size,
    class: locked ? `${kind} locked` : kind, "text-anchor": left ? "end" : "start", role: "button",
    "data-side": side, "data-index": index, "aria-label": `${side} ${name}, position ${head.positions[side][index]}`,
    "aria-pressed": locked, tabindex: index === (head[side] ?? 0) ? 0 : -1,
  });
  token.textContent = name;
  draw(token, "title", {}).textContent = titleOf(kind, locked);
  return token;
}

/** Hover shows a token's own lines; a click or Enter locks them, or lets go; arrows walk its column or cross over. */
function listen(token, { show, rest, pick, walk }) {
  const at = { side: token.dataset.side, index: Number(token.dataset.index) };
  token.onmouseenter = token.onfocus = () => show(at);
  token.onmouseleave = token.onblur = rest;
  token.onclick = () => pick(at);
  token.onkeydown = (event) => {
    const step = ARROWS[event.key];
    if (step) walk(at, ...step);
    else if (event.key === "Enter" || event.key === " ") pick(at);
    else return;
    event.preventDefault();
  };
}

const find = (root, { side, index }) => root.querySelector(`[data-side="${side}"][data-index="${index}"]`);

/** Which colour is which head; while one is pointed at, or has the keyboard, its lines alone are seen. */
function drawLegend(root, head, svg) {
  const legend = add(root, "div", { class: "legend" });
  const only = (strand) => {
    for (const path of svg.querySelectorAll("path"))
      path.style.display = strand === null || path.classList.contains(`strand-${strand}`) ? "" : "none";
  };
  head.strands.forEach(({ name, colour }, at) => {
    const entry = add(legend, "button", { class: "entry", type: "button", "aria-label": `${name}, its lines alone` });
    add(entry, "i", { style: `background:${colour}` });
    entry.append(name);
    entry.onmouseenter = entry.onfocus = () => only(at);
    entry.onmouseleave = entry.onblur = () => only(null);
  });
}

/** Draw the picture anew, and leave the keyboard where it was. */
function render(root, { head, lines, closed, width, pick }) {
  const focused = root.getRootNode().activeElement?.dataset;
  const plan = planOf(width, head);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("width", plan.width);
  svg.setAttribute("height", plan.height);
  svg.style.marginTop = `-${head.look.top}px`; // its top is empty: the heads of the columns lie over it
  const [others, own] = [draw(svg, "g", { class: "others" }), draw(svg, "g", { class: "own" })];
  let quiet = false;
  const show = (at) => {
    if (quiet) return;
    others.style.display = isLocked(head, at.side, at.index) ? "" : "none";
    drawOwn(own, plan, head, lines, at);
  };
  const rest = () => {
    others.style.display = "";
    if (head.locked) drawOwn(own, plan, head, lines, head.locked);
    else own.replaceChildren();
  };
  const walk = (at, down, across) => {
    const side = across ? (across < 0 ? "query" : "key") : at.side;
    const next = find(svg, { side, index: Math.min(at.index + down, head[`${side}_labels`].length - 1) });
    if (!next) return;
    for (const token of svg.querySelectorAll(`[data-side=${side}]`)) token.setAttribute("tabindex", token === next ? 0 : -1);
    next.focus();
  };
  drawOthers(others, plan, head, lines);
  for (const side of ["query", "key"])
    head[`${side}_labels`].forEach((_, index) => listen(drawToken(svg, plan, head, closed, side, index), { show, rest, pick, walk }));
  rest();
  root.replaceChildren();
  drawHeads(root, plan, head.look);
  root.append(svg);
  if (head.strands.length > 1) drawLegend(root, head, svg);
  quiet = true; // a token just let go keeps the keyboard, and all lines are seen
  if (focused?.side) find(svg, focused)?.focus();
  quiet = false;
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
  const lines = linesOf(arrays.lines);
  const pick = ({ side, index }) => setTriggerValue("picked", [side, index]);
  return onResize(root, (width) => {
    const plan = render(root, { head, lines, closed: arrays.closed, width, pick });
    if (head.query !== null) scrollTo(root, plan.y(head.query), head.query);
  });
}
