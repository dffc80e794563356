/**
 * All that the page with the script tag needs of its own: what to do when the checkout says it is complete.
 * The word is for the screen only; the order page waits for the verified webhook.
 */
// eslint-disable-next-line no-unused-vars -- named by data-oriel-on-complete
function onPaid() {
  location.assign(document.querySelector("[data-order-url]").dataset.orderUrl);
}
