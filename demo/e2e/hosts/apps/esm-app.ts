/**
 * A merchant's page with a bundler and no framework. With an `embedUrl` among the page's options it mounts at once; in
 * any case it leaves the module on `window.embed`, so that a test can do with it what a merchant's code could.
 */
import * as embed from "@oriel/embed";
import { appContainer, hear, readPageOptions } from "./host-window.ts";

declare global {
  interface Window {
    embed: typeof embed;
  }
}

window.heard = [];
window.hear = hear;
window.embed = embed;
const options = readPageOptions<Partial<embed.CheckoutOptions>>();
if (options.embedUrl) {
  window.checkout = embed.createCheckout({ ...options, embedUrl: options.embedUrl });
  window.checkout.on("*", hear);
  window.checkout.mount(appContainer());
}
