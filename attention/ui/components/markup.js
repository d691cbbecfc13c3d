/** A figure that is a string already; only the shared style is added to it. */
export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root");
  inTurn(root, () => (root.innerHTML = data));
}
