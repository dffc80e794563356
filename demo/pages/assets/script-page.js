/**
 * The only script of the page with the script tag: navigates to the order page when the checkout is complete.
 * The event alone proves nothing, so the order page waits for the verified webhook.
 */
// eslint-disable-next-line no-unused-vars -- named by data-oriel-on-complete
function onPaid() {
  location.assign(document.querySelector("[data-order-url]").dataset.orderUrl);
}
