/**
 * `@oriel/embed/loader`: loads the script from the service instead of bundling it, and returns its global.
 *
 * Importing it has no side effects. See load-script.ts for how it works.
 */
import type { OrielGlobal } from "./markup/find-global.ts";
import { type LoadOptions, loadScript } from "./markup/load-script.ts";

export type { LoadOptions, OrielGlobal };

/**
 * Loads `/embed/v<version>/oriel.js` from the service's origin. Calling it again for the same URL returns the same
 * promise, or retries if loading failed.
 *
 * @returns the script's global, or null on a server
 * @throws (rejects) CheckoutError `script_blocked` if the script couldn't be loaded within `timeout`
 * @throws (rejects) TypeError for an invalid option, or if the page already has a script from another origin
 * @example
 * const oriel = await loadOriel({ origin: "https://pay.example.com" });
 * oriel?.mountCheckout("#checkout", { embedUrl });
 */
export function loadOriel(options: LoadOptions): Promise<OrielGlobal | null> {
  return loadScript(options, (url) => import(/* @vite-ignore */ /* webpackIgnore: true */ url));
}
