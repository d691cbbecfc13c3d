/** Texts to try, each a button; the last may add a second box or take it away. */
export default function ({ data, parentElement, setTriggerValue }) {
  const { palette, items } = JSON.parse(data);
  const root = dress(parentElement, palette);
  root.replaceChildren();
  add(root, "span", { text: "Try" });
  items.forEach(({ label, title }, at) => {
    const button = add(root, "button", { type: "button", text: label, title });
    button.onclick = () => setTriggerValue("picked", at);
  });
}
