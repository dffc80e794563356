// In a file, because the page's Content-Security-Policy doesn't allow inline scripts.
function onPaid() {
  location.assign(`${location.pathname}/thanks`);
}
