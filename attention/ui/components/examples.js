/** Texts to try, each a button; the last may add a second box or take it away. Buttons stay, and with them the keyboard. */
export default function ({ data, parentElement, setTriggerValue }) {
  const { palette, items } = JSON.parse(data);
  const root = dress(parentElement, palette);
  const buttons = root.querySelectorAll("button");
  if (!buttons.length) add(root, "span", { text: "Try" });
  items.forEach(({ label, title }, at) => {
    const button = buttons[at] ?? add(root, "button", { type: "button" });
    [button.textContent, button.title] = [label, title];
    button.onclick = () => setTriggerValue("picked", at);
  });
}
