/**
 * The shop as a small single-page app with three screens: product, checkout and thank you, each with its own URL under
 * /app/. It bundles `@oriel/embed` and uses no framework. A screen is a template from the page plus a function that
 * runs until its signal is aborted, which also destroys the checkout.
 */
import { showCheckout } from "./checkout-screen.ts";
import { showThanks } from "./thanks-screen.ts";

const main = document.querySelector<HTMLElement>("#main");
let leave = new AbortController();

/** Shows the screen for the current URL. */
function show(): void {
  if (!main) throw new Error("Bug: the page has no #main");
  leave.abort();
  leave = new AbortController();
  const orderId = /^\/app\/thanks\/(\w+)$/.exec(location.pathname)?.[1];
  const name = orderId ? "thanks" : location.pathname === "/app/checkout" ? "checkout" : "product";
  main.replaceChildren(screen(name));
  main.scrollIntoView({ block: "start" });
  if (name === "checkout") void showCheckout(main, go, leave.signal);
  if (orderId) showThanks(main, orderId, leave.signal);
}

function screen(name: string): DocumentFragment {
  const template = document.querySelector<HTMLTemplateElement>(`#${name}-screen`);
  if (!template) throw new Error(`Bug: the page has no template for ${name}`);
  return document.importNode(template.content, true);
}

function go(path: string): void {
  history.pushState(null, "", path);
  show();
  // Focus the heading, because a new screen is a new page for screen reader users.
  const heading = main?.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href^='/app/']") : null;
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.pathname);
});
window.addEventListener("popstate", show);
show();
