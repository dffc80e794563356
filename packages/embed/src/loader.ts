/**
 * `@oriel/embed/loader`: loads the script from the service instead of bundling it, and hands over its global.
 *
 * Importing it does nothing. What it does when called, and why, stands in load-script.ts.
 */
import type { OrielGlobal } from "./markup/find-global.ts";
import { type LoadOptions, loadScript } from "./markup/load-script.ts";

export type { LoadOptions, OrielGlobal };

/**
 * Loads `/embed/v<version>/oriel.js` from the service's origin. Called again for the same address it gives the same
 * answer; a failure is not remembered, so calling again tries again.
 *
 * @returns the script's global; null on a server, where there is nothing to load it into.
 * @throws (rejects) CheckoutError `script_blocked` when the script could not be loaded within `timeout`; TypeError for
 *   a wrong option, and where the page holds the script of another origin.
 * @example const oriel = await loadOriel({ origin: "https://pay.example.com" }); oriel?.mountCheckout("#checkout", { embedUrl });
 */
export function loadOriel(options: LoadOptions): Promise<OrielGlobal | null> {
  return loadScript(options, (url) => import(/* @vite-ignore */ /* webpackIgnore: true */ url));
}
