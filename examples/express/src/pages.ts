import type { Order } from "./orders.js";
import { settings } from "./settings.js";

export const frontPage = page(`
  <h1>The cup</h1>
  <form action="/orders" method="post"><button>Buy for €49.00</button></form>`);

export function checkoutPage({ embedUrl = "" }: Order): string {
  return page(`
  <h1>Checkout</h1>
  <script src="/shop.js"></script>
  <script src="${escape(settings.checkoutOrigin)}/embed/v1/oriel.js" async></script>
  <div data-oriel-checkout data-oriel-embed-url="${escape(embedUrl)}" data-oriel-on-complete="onPaid"></div>`);
}

export function thanksPage({ status }: Order): string {
  return page(status === "paid" ? "<h1>Paid</h1>" : "<h1>Confirming your payment…</h1>");
}

function page(content: string): string {
  return `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>The cup shop</title>
  <main>${content}</main>
</html>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
