// A pair of query and key that moves at once in the browser, while Python is still working on the last one.

// What was picked last in each picture, and when: `heard` in a header tells which pick Python had taken in by then.
const asked = new WeakMap();
const PATIENCE = 5000;

/** The pair to mark. An answer to an earlier pick must not undo a later one, or fast arrow keys lose steps. */
function pairOf(root, head) {
  const last = asked.get(root);
  const waiting = last && last.time !== head.heard && Date.now() - last.time < PATIENCE;
  return waiting ? last.pair : [head.query, head.key];
}

/** Remember a pick and tell Python; its time names it. */
function ask(root, pair, setTriggerValue) {
  const time = Math.max(Date.now(), (asked.get(root)?.time ?? 0) + 1);
  asked.set(root, { pair, time });
  setTriggerValue("picked", [...pair, time]);
}
