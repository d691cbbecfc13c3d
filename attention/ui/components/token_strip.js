/** The words of a sentence as chips; a word's pieces stand in one span, without a gap. */
function buildChips(strip, chips) {
  strip.replaceChildren();
  let word = null;
  return chips.map((chip) => {
    if (!chip.joined || !word) word = add(strip, "span", { class: "word" });
    const button = add(word, "button", { type: "button" });
    add(button, "bdi", { class: "text", text: chip.shown });
    add(button, "span", { class: "number" });
    return button;
  });
}

/** The chips that are there already, or new ones when the sentence has changed. Keeps the keyboard's place. */
function chipsOf(root, head) {
  const strip = root.querySelector(".strip") ?? add(root, "div", { role: "toolbar" });
  const sentence = JSON.stringify(head.chips.map((chip) => [chip.shown, chip.joined]));
  strip.className = `strip ${head.size}`;
  strip.setAttribute("aria-label", head.label);
  if (strip.dataset.sentence !== sentence) {
    buildChips(strip, head.chips);
    strip.dataset.sentence = sentence;
  }
  return [...strip.querySelectorAll("button")];
}

/** What one query gives to one key: its weight, and whether it may look there at all. */
function lookAt({ weights, allowed }, rows, query, key) {
  if (!weights) return { weight: null, open: true };
  const at = rows === "all" ? query * weights.shape[1] + key : key;
  return { weight: weights.values[at], open: allowed.values[at] === 1 };
}

/** Background and ink of a chip. Close to the ground the theme's own ink reads better than black or white. */
function light(text, { weight, open }, special, ramp) {
  text.style.background = text.style.color = "";
  if (!open) return;
  const faint = weight === null || weight < 0.05;
  const rgb = weight === null ? null : colourAt(ramp, weight);
  text.style.background = rgb ? css(rgb) : "none";
  if (!faint) text.style.color = textOn(rgb);
  else if (special) text.style.color = "var(--text2)";
}

/** Which chip has the number that stands under one: its own, or its word's where the light is of words. */
function numbered(head, query, at) {
  if (!head.by_words) return at;
  let [first, last] = [at, at];
  while (first && head.chips[first].joined) first--;
  while (head.chips[last + 1]?.joined) last++;
  const inFocus = [query, head.key].find((place) => place !== null && place >= first && place <= last);
  return inFocus ?? (first + last) >> 1;
}

function numberUnder({ weight, open }, isQuery, source) {
  if (isQuery && source === "gives") return "query";
  return open && weight !== null ? weightText(weight, 0.1) : "";
}

function titleOf(chip, { weight, open }, light, inPieces) {
  if (!open) return `${chip.title}\nmasked for ${light === "gives" ? "this" : "every"} query`;
  if (weight === null) return chip.title;
  const whose = inPieces ? "its word: " : "";
  return `${chip.title}\n${whose}${light === "gives" ? "weight" : "receives, on average,"} ${digits(weight)}`;
}

/** Bring the query's chip into the strip's own window, without scrolling the page. */
function scrollTo(strip, chip) {
  if (strip.scrollHeight <= strip.clientHeight) return;
  const top = chip.getBoundingClientRect().top - strip.getBoundingClientRect().top;
  if (top < 0 || top > strip.clientHeight - chip.offsetHeight) strip.scrollTop += top - strip.clientHeight / 2;
}

function paintChip(button, chip, look, { isQuery, isKey, hasNumber, inPieces, ramp, source }) {
  const classes = { special: chip.special, masked: !look.open, query: isQuery, key: isKey && !isQuery };
  button.className = ["chip", ...Object.keys(classes).filter((name) => classes[name])].join(" ");
  button.title = titleOf(chip, look, source, inPieces);
  button.setAttribute("aria-pressed", isQuery);
  light(button.firstChild, look, chip.special, ramp);
  button.lastChild.textContent = hasNumber ? numberUnder(look, isQuery, source) : "";
}

export default function ({ data, parentElement, setTriggerValue }) {
  const { head, arrays } = unpack(data);
  const root = dress(parentElement, head.palette);
  const buttons = chipsOf(root, head);
  const ramp = rampOf(head.ramp);
  const strip = root.querySelector(".strip");
  const show = (query) => {
    const looks = buttons.map((_, key) => lookAt(arrays, head.rows, query, key));
    buttons.forEach((button, key) => {
      const marks = { isQuery: key === query, isKey: key === head.key, hasNumber: numbered(head, query, key) === key };
      const inPieces = head.by_words && Boolean(head.chips[key].joined || head.chips[key + 1]?.joined);
      paintChip(button, head.chips[key], looks[key], { ...marks, inPieces, ramp, source: head.light });
    });
    strip.onscroll = () => tellBeyond(root, strip, buttons, { head, looks });
    strip.onscroll();
  };
  show(head.query);
  oneStop(root, buttons, head.query ?? 0);
  if (head.query !== null) scrollTo(strip, buttons[head.query]);
  buttons.forEach((button, position) => {
    button.onclick = () => {
      // The row is here already, or no row's light is: no need to wait for Python.
      if (head.rows === "all" || head.light === "receives") show(position);
      setTriggerValue("picked", position);
    };
  });
  return onResize(root, () => strip.onscroll());
}
