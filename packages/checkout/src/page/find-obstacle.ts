/** Finds out whether a card can be sent from this page at all. */

/** @returns the result that the customer sees, or null if nothing is in the way */
export function findObstacle({ isSecureContext, crypto, document }: Window): "unsupported" | "sandboxed" | null {
  // No WebCrypto, no encryption, no card: an old browser, or a page served without TLS.
  if (!isSecureContext || !("subtle" in crypto)) return "unsupported";
  return maySubmit(document) ? null : "sandboxed";
}

/**
 * A sandbox without `allow-forms` keeps forms from doing anything at all, without a word. So this submits a form of its
 * own, which goes nowhere: where forms don't work, the event never comes.
 */
function maySubmit(document: Document): boolean {
  const form = document.createElement("form");
  let isSubmitted = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    isSubmitted = true;
  });
  document.body.append(form);
  form.requestSubmit();
  form.remove();
  return isSubmitted;
}
