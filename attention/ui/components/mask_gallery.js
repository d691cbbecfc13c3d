const SIDE = 60;

/** The tiles that are there already, or new ones when the gallery has changed. Keeps the keyboard's place. */
function tilesOf(root, head) {
  const gallery = root.querySelector(".gallery") ?? add(root, "div", { class: "gallery", role: "toolbar" });
  gallery.setAttribute("aria-label", head.label);
  const names = JSON.stringify(head.tiles.map((tile) => tile.name));
  if (gallery.dataset.names !== names) {
    gallery.replaceChildren();
    for (const tile of head.tiles) {
      const button = add(gallery, "button", { type: "button", class: "tile" });
      add(button, "canvas", { "aria-hidden": "true" });
      add(button, "span", { class: "name", text: tile.title });
    }
    gallery.dataset.names = names;
  }
  return [...gallery.querySelectorAll("button")];
}

/** Open cells filled, blocked ones hatched. */
function paintTile(canvas, { shape, values }, palette) {
  const pen = penOf(canvas, SIDE, SIDE);
  const [rows, columns] = shape;
  hatch(pen, { x: 0, y: 0, width: SIDE, height: SIDE }, palette);
  pen.fillStyle = palette.text2;
  const edge = (at, count) => Math.round((at * SIDE) / count);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      if (values[row * columns + column] === 0) continue;
      const [x, y] = [edge(column, columns), edge(row, rows)];
      pen.fillRect(x, y, edge(column + 1, columns) - x, edge(row + 1, rows) - y);
    }
  pen.strokeStyle = palette.line;
  pen.strokeRect(0.5, 0.5, SIDE - 1, SIDE - 1);
}

/** Mark the chosen one and no other. */
function mark(buttons, tiles, chosen) {
  buttons.forEach((button, at) => button.setAttribute("aria-pressed", tiles[at].name === chosen));
}

export default function ({ data, parentElement, setTriggerValue }) {
  const { head, arrays } = unpack(data);
  const root = dress(parentElement, head.palette);
  const buttons = tilesOf(root, head);
  buttons.forEach((button, at) => {
    const tile = head.tiles[at];
    paintTile(button.firstChild, arrays[tile.name], head.palette);
    button.title = tile.note;
    button.onclick = () => {
      mark(buttons, head.tiles, tile.name); // no need to wait for Python
      setTriggerValue("picked", at);
    };
  });
  mark(buttons, head.tiles, head.chosen);
  oneStop(root, buttons, Math.max(0, head.tiles.findIndex((tile) => tile.name === head.chosen)));
}
