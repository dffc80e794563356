/**
 * What a merchant's page has of its own: a function that the markup names. It notes what it was told, for the test to look at; `wrong` gathers
 * what should never be told here.
 */
window.heard = [];
window.wrong = [];
addEventListener("error", ({ message }) => wrong.push(message));
addEventListener("securitypolicyviolation", ({ effectiveDirective }) => wrong.push(effectiveDirective));

window.onComplete = (detail) => heard.push(detail);
