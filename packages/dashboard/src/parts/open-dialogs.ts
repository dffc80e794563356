/**
 * Tracks open dialogs: only the topmost one closes, and the focus returns to where it was before. Mantine's focus
 * return doesn't handle dialogs that are unmounted together with their parent, dialogs that follow one another, or
 * buttons that are still disabled when the dialog closes.
 */

/** The IDs of the open dialogs, topmost last. */
let open: readonly string[] = [];
/** The topmost dialog. Updated in a later task, so that one press of Escape closes only one dialog. */
let topmost: string | undefined;

/** The focused element, or the one that just lost the focus because it was disabled. */
let focused: HTMLElement | null = null;
/** The element to which the last closed dialog has yet to return the focus. */
let owed: HTMLElement | null = null;

document.addEventListener("focusin", ({ target }) => {
  focused = target instanceof HTMLElement ? target : null;
  owed = null;
});
document.addEventListener("focusout", ({ target }) => {
  if (target instanceof HTMLElement && !target.matches(":disabled")) focused = null;
});

/** @returns a function to call when the dialog closes */
export function openDialog(id: string): () => void {
  const before = focused === null || isGone(focused) ? owed : focused;
  const depth = open.length;
  setOpen([...open, id]);
  return () => {
    setOpen(open.filter((other) => other !== id));
    owed = before;
    setTimeout(() => giveBack(before, depth)); // by then, the closed dialog is gone and the next one, if any, is open
  };
}

export function isTopmost(id: string): boolean {
  return topmost === id;
}

function setOpen(ids: readonly string[]): void {
  open = ids;
  setTimeout(() => {
    topmost = open.at(-1);
  });
}

/** Whether the element was removed, or is in a dialog that is fading out. */
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
