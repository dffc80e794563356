/**
 * A merchant's page with a bundler and no framework. If the page's options contain an `embedUrl`, it mounts at once. It
 * always exposes the module as `window.embed`, so that a test can do what a merchant's code could.
 */
import * as embed from "@oriel/embed";
import { appContainer, receive, readPageOptions } from "./host-window.ts";

declare global {
  interface Window {
    embed: typeof embed;
  }
}

window.received = [];
window.receive = receive;
window.embed = embed;
const options = readPageOptions<Partial<embed.CheckoutOptions>>();
if (options.embedUrl) {
  window.checkout = embed.createCheckout({ ...options, embedUrl: options.embedUrl });
  window.checkout.on("*", receive);
  window.checkout.mount(appContainer());
}
