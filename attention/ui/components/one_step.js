/** One entry of the browser's history for what the reader does, however often the address follows it.
 *
 * A page opened by the menu changes its path and then its parameters, which Streamlit pushes one after the other:
 * the page would lie in the history twice, once without its parameters.
 */
export default function () {
  if (history.headlight) return;
  history.headlight = true;
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let acted = false; // whether the reader has done something since the last entry
  for (const kind of ["pointerdown", "keydown"]) {
    window.addEventListener(kind, () => (acted = true), { capture: true });
  }
  history.pushState = (...entry) => {
    (acted ? push : replace)(...entry);
    acted = false;
  };
}
