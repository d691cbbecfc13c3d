"""When a picture is painted: two frames after it has changed, counted from the key or the click before."""

# Counts what is drawn on the canvases of sheet and heatmap, and remembers the first key
# or click since it was armed.
WATCH = """
window.paints = { sheet: 0, heatmap: 0 };
for (const name of ["drawImage", "fillRect"]) {
  const draw = CanvasRenderingContext2D.prototype[name];
  CanvasRenderingContext2D.prototype[name] = function (...given) {
    const host = this.canvas.isConnected && this.canvas.getRootNode().host;
    const key = host && host.closest('[class*="st-key-"]')?.className.match(/st-key-(sheet|heatmap)/)?.[1];
    if (key) {
      window.paints[key] += 1;
      window.onPaint?.(key);
    }
    return draw.apply(this, given);
  };
}
window.arm = (what) => {
  window.painted = null;
  let start = null;
  const begin = () => { start ??= performance.now(); };
  addEventListener("keydown", (event) => { if (event.key === "Enter") begin(); }, {capture: true});
  addEventListener("click", begin, {capture: true, once: true});
  window.onPaint = (key) => {
    if (key !== what || start === null) return;
    window.onPaint = null;
    requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = performance.now() - start; }));
  };
};
"""


def painted(page, what, act) -> float:
    """Milliseconds from a key or a click to the picture.

    Args:
        page: A page with ``WATCH`` in it.
        what: "sheet" or "heatmap".
        act: Presses or clicks.
    """
    page.evaluate("what => window.arm(what)", what)
    act()
    page.wait_for_function("() => window.painted !== null", timeout=120_000)
    return page.evaluate("window.painted")
