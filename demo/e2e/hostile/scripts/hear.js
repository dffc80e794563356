/**
 * The merchant's own function, which the markup names. It records its notifications for the test. `wrong` collects
 * those that must never happen here.
 */
window.heard = [];
window.wrong = [];
addEventListener("error", ({ message }) => wrong.push(message));
addEventListener("securitypolicyviolation", ({ effectiveDirective }) => wrong.push(effectiveDirective));

window.onComplete = (detail) => heard.push(detail);
