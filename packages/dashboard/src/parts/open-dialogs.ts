/**
 * The dialogs that are open: which is the uppermost, for only that one closes, and where the focus goes when one is
 * gone, which is back to where it was. Mantine's own way knows neither a dialog that goes together with what drew it,
 * nor one that follows another, nor a button that is still busy and cannot take the focus yet.
 */

/** The dialogs that are open, the uppermost last. */
let open: readonly string[] = [];
/** Of these the last. Another one becomes it a moment later, so that one press of Escape closes one. */
let uppermost: string | undefined;

/** What has the focus, or lost it to nobody when it became busy. */
let focused: HTMLElement | null = null;
/** What the last dialog has not given its focus back to yet. */
let owed: HTMLElement | null = null;

document.addEventListener("focusin", ({ target }) => {
  focused = target instanceof HTMLElement ? target : null;
  owed = null;
});
document.addEventListener("focusout", ({ target }) => {
  if (target instanceof HTMLElement && !target.matches(":disabled")) focused = null;
});

/** @returns what to call when it closes */
export function openDialog(id: string): () => void {
  const before = focused === null || isGone(focused) ? owed : focused;
  const depth = open.length;
  setOpen([...open, id]);
  return () => {
    setOpen(open.filter((other) => other !== id));
    owed = before;
    setTimeout(() => giveBack(before, depth)); // what closed is gone by then, and what follows it is open
  };
}

export function isUppermost(id: string): boolean {
  return uppermost === id;
}

function setOpen(ids: readonly string[]): void {
  open = ids;
  setTimeout(() => {
    uppermost = open.at(-1);
  });
}

/** With what is removed, or with a dialog that is only fading out. */
function isGone(element: HTMLElement): boolean {
  return !element.isConnected || (open.length === 0 && isInDialog(element));
}

function giveBack(before: HTMLElement | null, depth: number): void {
  const active = document.activeElement;
  const isFree = active === null || active === document.body || isInDialog(active);
  if (before === null || !isFree || open.length > depth) return;
  if (!before.isConnected) return document.querySelector<HTMLElement>(".page-title")?.focus({ preventScroll: true });
  before.focus({ preventScroll: true });
  if (document.activeElement === before) return;
  const busy = new MutationObserver(() => {
    busy.disconnect();
    giveBack(before, depth);
  });
  busy.observe(before, { attributeFilter: ["disabled"] });
}

function isInDialog(element: Element): boolean {
  return element.closest("[role=dialog]") !== null;
}
