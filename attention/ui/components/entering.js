const TRIES = 60; // frames until a popover stands where it will

/** What has just been opened takes the keyboard along: a popover lies at the end of the page. */
export default function ({ parentElement }) {
  const { host } = parentElement.getRootNode();
  const body = (host ?? parentElement).closest('[data-testid="stPopoverBody"]');
  const enter = (tries) => {
    if (!body?.isConnected || body.contains(document.activeElement)) return;
    body.querySelector('button:not([tabindex="-1"], :disabled), input')?.focus({ preventScroll: true });
    if (tries) requestAnimationFrame(() => enter(tries - 1));
  };
  enter(TRIES);
}
