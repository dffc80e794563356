/** Whether forms work in this document: a sandbox without `allow-forms` keeps them from doing anything at all, without a word. */

/** Submits a form of its own, which goes nowhere. Where forms do not work, the event never comes. */
export function maySubmit(document: Document): boolean {
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
