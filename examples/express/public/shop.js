// In a file, because the page's Content-Security-Policy doesn't allow inline scripts.
window.onPaid = () => {
  location.assign(`${location.pathname}/thanks`);
};
