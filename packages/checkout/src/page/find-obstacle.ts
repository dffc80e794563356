/** Checks whether anything prevents this page from sending a card. */

/** @returns the result to show to the customer, or null if nothing is in the way */
export function findObstacle({ isSecureContext, crypto, document }: Window): "unsupported" | "sandboxed" | null {
  // Cards can't be encrypted without WebCrypto, which old browsers and pages served without TLS don't have.
  if (!isSecureContext || !("subtle" in crypto)) return "unsupported";
  return maySubmit(document) ? null : "sandboxed";
}

/**
 * A sandbox without `allow-forms` silently disables forms. To detect that, this submits a form that goes nowhere and
 * checks whether the event fires.
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
