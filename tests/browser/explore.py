"""Reading and using Explore in a browser."""

from urllib.parse import parse_qs, urlsplit

TEXT = "The developer deployed the application because it was ready."
LONG = " ".join(f"The engineer number {i} deployed an unremarkable application." for i in range(25))


def note(page):
    return page.locator(".note").first.inner_text()


def parameters(page):
    query = urlsplit(page.evaluate("location.href")).query
    return {key: values[0] for key, values in parse_qs(query).items()}


def heatmap(page):
    """The heatmap's weights as a mouse finds them, cell by cell; None where masked."""
    said = page.locator(".st-key-heatmap canvas").evaluate(
        """(canvas) => {
          const root = canvas.getRootNode();
          const sizes = canvas.ariaLabel.match(/(\\d+) queries by (\\d+) keys/);
          const [rows, columns] = sizes.slice(1).map(Number);
          const middle = (at, count, length) => (at + 0.5) * length / count;
          const tell = (row, column) => {
            const place = canvas.getBoundingClientRect();
            canvas.dispatchEvent(new MouseEvent("mousemove", {
              clientX: place.x + middle(column, columns, place.width),
              clientY: place.y + middle(row, rows, place.height),
            }));
            return root.querySelector(".tip").textContent.split("\\n")[1];
          };
          const range = (length) => Array.from({length}, (_, at) => at);
          const told = range(rows).map((row) => range(columns).map((column) => tell(row, column)));
          canvas.dispatchEvent(new MouseEvent("mouseleave"));
          return told;
        }"""
    )
    return [[weight_in(words) for words in row] for row in said]


def weight_in(words):
    return float(words.removeprefix("weight ").replace("−", "-")) if words.startswith("weight") else None


def type_sentence(page, settled, text):
    box = page.get_by_label("Sentence", exact=True)
    box.fill(text)
    box.press("Enter")
    settled(page)


def chip(page, at):
    return page.locator(".st-key-strip button").nth(at)


def switch(page, settled, label):
    page.get_by_test_id("stSidebar").get_by_text(label, exact=True).first.click()
    settled(page)


def sheet_cell(page, layer, head, n_layers=6, n_heads=12):
    """The middle of a head's square on the sheet's canvas, measured from its labels' side."""
    canvas = page.get_by_role("application").first
    box = canvas.bounding_box()
    pitch = (box["width"] - 28) / n_heads
    return box["x"] + 24 + (head + 0.45) * pitch, box["y"] + box["height"] - (n_layers - layer - 0.45) * pitch
