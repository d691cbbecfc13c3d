// Stands before every component's script: data, colours, the tooltip, what happens on resize.

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const KINDS = { float32: Float32Array, uint8: Uint8Array };

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** Split the one value Python sends: header length | JSON header | arrays, each at a multiple of four. */
function unpack(data) {
  const bytes = data.slice(); // a copy starts at byte 0 of its buffer, so that floats are aligned
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const arrays = {};
  for (const [name, { dtype, shape, offset }] of Object.entries(head.arrays)) {
    const size = shape.reduce((product, side) => product * side, 1);
    arrays[name] = { shape, values: new KINDS[dtype](bytes.buffer, 4 + length + offset, size) };
  }
  return { head, arrays };
}

/** Give the component's root the theme's colours as CSS variables: --query, --mask-ground, … */
function dress(parentElement, palette) {
  const root = parentElement.querySelector(".root");
  for (const [name, hex] of Object.entries(palette)) root.style.setProperty(`--${name.replaceAll("_", "-")}`, hex);
  return root;
}

/** Make an element with a class, text and attributes, inside a parent. */
function add(parent, tag, { text, style, ...attributes } = {}) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (style) element.style.cssText = style;
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

/** A colour scale of 256 steps, written in hex without separators, as [red, green, blue] each. */
function rampOf(hex) {
  return hex.match(/.{6}/g).map((step) => [0, 2, 4].map((at) => parseInt(step.slice(at, at + 2), 16)));
}

const colourAt = (ramp, share) => ramp[Math.round(clamp(share, 0, 1) * 255)];
const css = (rgb) => `rgb(${rgb})`;

/** Black or white, whichever contrasts more with the colour behind it. */
function textOn(rgb) {
  const [red, green, blue] = rgb.map((byte) => {
    const value = byte / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "black" : "white";
}

/** A weight in a small space: ".37", "1.00"; nothing below a given size. */
const weightText = (weight, least) => (weight >= least ? weight.toFixed(2).replace(/^0/, "") : "");

/** A score or an entry of a vector in a small cell: ".37", "−1.2". */
function signedText(value) {
  const text = Math.abs(value) < 0.995 ? Math.abs(value).toFixed(2).replace("0.", ".") : Math.abs(value).toFixed(1);
  return value < 0 && !/^[.0]+$/.test(text) ? `−${text}` : text;
}

/** A number for a tooltip: four digits, a real minus, −∞ where nothing may be seen. */
function digits(value) {
  if (value === -Infinity) return "−∞";
  const size = Math.abs(value);
  const text = size !== 0 && size < 0.00005 ? size.toExponential(0).replace("-", "−") : size.toFixed(4);
  return value < 0 ? `−${text}` : text;
}

/** Fill a rectangle with the pattern that means "not allowed". */
function hatch(pen, { x, y, width, height }, palette) {
  const pitch = 5;
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width, height);
  pen.clip();
  pen.fillStyle = palette.mask_ground;
  pen.fillRect(x, y, width, height);
  pen.strokeStyle = palette.hatch;
  pen.lineWidth = 1;
  pen.beginPath();
  // Lines of one x + y, counted from the canvas's corner, so that neighbouring runs continue each other.
  for (let sum = Math.floor((x + y) / pitch) * pitch; sum <= x + y + width + height; sum += pitch) {
    pen.moveTo(sum - y, y);
    pen.lineTo(sum - y - height, y + height);
  }
  pen.stroke();
  pen.restore();
}

/** Size a canvas in CSS pixels, sharp on any screen, and hand back its pen. */
function penOf(canvas, width, height) {
  const density = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(density, density);
  return pen;
}

/** One tooltip for a root: show(text, x, y) keeps it inside the component. */
function tooltipOf(root) {
  const tip = root.querySelector(":scope > .tip") ?? add(root, "div", { class: "tip", "aria-hidden": "true" });
  const show = (text, x, y) => {
    tip.textContent = text;
    tip.style.display = "block";
    tip.style.left = `${clamp(x + 14, 0, Math.max(0, root.clientWidth - tip.offsetWidth - 2))}px`;
    tip.style.top = `${y + 16}px`;
  };
  return { show, hide: () => (tip.style.display = "none") };
}

/** Tell a screen reader what has just been chosen. */
function say(root, text) {
  const region = root.querySelector(":scope > .live") ?? add(root, "div", { class: "live", "aria-live": "polite" });
  region.textContent = text;
}

/** The button nearest to one of them in the next line above (-1) or below (1); itself where there is no such line. */
function nextLine(buttons, from, way) {
  const placeOf = (button) => button.getBoundingClientRect();
  const here = placeOf(from);
  const farOf = (button) => way * (placeOf(button).top - here.top);
  const beyond = buttons.filter((button) => farOf(button) > here.height / 2);
  const nearest = Math.min(...beyond.map(farOf));
  const asideOf = (button) => Math.abs(placeOf(button).left - here.left);
  const line = beyond.filter((button) => farOf(button) < nearest + here.height / 2);
  return line.sort((one, other) => asideOf(one) - asideOf(other))[0] ?? from;
}

/** Many buttons as one stop of the Tab key, entered at one of them; arrows, Home and End move among them. */
function oneStop(root, buttons, entry) {
  const active = buttons.indexOf(root.getRootNode().activeElement);
  const enterAt = (at) => buttons.forEach((button, index) => (button.tabIndex = index === at ? 0 : -1));
  enterAt(active < 0 ? entry : active);
  buttons.forEach((button, at) => {
    const next = {
      ArrowLeft: () => buttons[at - 1], ArrowRight: () => buttons[at + 1], Home: () => buttons[0], End: () => buttons.at(-1),
      ArrowUp: () => nextLine(buttons, button, -1), ArrowDown: () => nextLine(buttons, button, 1),
    };
    button.onfocus = () => enterAt(at);
    button.onkeydown = (event) => {
      if (!next[event.key]) return;
      event.preventDefault();
      next[event.key]()?.focus();
    };
  });
}

const waiting = new WeakMap();
const inSight = new WeakMap();
const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    inSight.set(target, isIntersecting);
    if (isIntersecting) waiting.get(target)?.();
  }
});
const later = window.requestIdleCallback ?? ((act) => setTimeout(act, 50));

/** Draw at once what is in sight, and what is not when the browser has time: what is looked at comes first. */
function inTurn(root, draw) {
  sight.observe(root);
  const once = () => {
    if (waiting.get(root) !== once) return; // a later answer has taken its place
    waiting.delete(root);
    draw();
  };
  waiting.set(root, once);
  if (inSight.get(root) === false) later(once, { timeout: 200 });
  else once();
}

const watched = new WeakMap();

/** Draw now and whenever the width changes. Streamlit calls a script again without ending its last call. */
function onResize(root, draw) {
  watched.get(root)?.disconnect();
  let width = 0;
  const observer = new ResizeObserver(() => {
    if (root.clientWidth === width || !root.clientWidth) return;
    width = root.clientWidth;
    draw(width);
  });
  watched.set(root, observer);
  width = root.clientWidth; // 0 in a column's first frame: the observer draws then
  if (width) draw(width);
  observer.observe(root);
  return () => observer.disconnect();
}
