const FAINTEST_TOLD = 0.05;
const MOST_TOLD = 3;

/** The chips that get most of the light among those outside the strip's own window. */
function brightestBeyond(strip, buttons, { head, looks }) {
  const { top, bottom } = strip.getBoundingClientRect();
  const outside = (at) => {
    const text = buttons[at].firstChild.getBoundingClientRect();
    return text.bottom <= top || text.top >= bottom;
  };
  const once = (at) => !(head.by_words && head.chips[at].joined); // pieces of a word share its light
  const bright = (at) => looks[at].open && looks[at].weight >= FAINTEST_TOLD;
  const lit = [...looks.keys()].filter((at) => once(at) && bright(at) && outside(at));
  return lit.sort((one, other) => looks[other].weight - looks[one].weight).slice(0, MOST_TOLD);
}

/** A line under a strip that scrolls: what is lit and out of sight; a click brings it into the window. */
function tellBeyond(root, strip, buttons, { head, looks }) {
  const line = root.querySelector(":scope > .beyond") ?? add(root, "div", { class: "beyond" });
  const focused = line.contains(root.getRootNode().activeElement) ? root.getRootNode().activeElement.dataset.at : null;
  line.replaceChildren();
  line.hidden = strip.scrollHeight <= strip.clientHeight;
  if (line.hidden) return;
  const found = brightestBeyond(strip, buttons, { head, looks });
  add(line, "span", { text: found.length ? "Lit and out of sight:" : "Scroll for the rest of the text" });
  for (const at of found) {
    const above = buttons[at].offsetTop < strip.scrollTop + strip.offsetTop;
    const link = add(line, "button", { type: "button", "data-at": at });
    add(link, "bdi", { text: head.chips[at].shown });
    add(link, "span", { text: ` ${weightText(looks[at].weight, 0)} ${above ? "↑" : "↓"}` });
    link.onclick = () => {
      scrollTo(strip, buttons[at]);
      buttons[at].focus({ preventScroll: true }); // this line is written anew as the strip scrolls
    };
    if (String(at) === focused) link.focus({ preventScroll: true });
  }
}
