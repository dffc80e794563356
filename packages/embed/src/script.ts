/**
 * The script-tag build, `/embed/v1/oriel.js`: the same code with one global, `Oriel`, and support for checkouts in
 * markup.
 *
 * ```html
 * <div data-oriel-checkout data-oriel-embed-url="EMBED_URL" data-oriel-on-complete="onPaid"></div>
 * ```
 *
 * Trusted origins: code that calls `Oriel.mountCheckout` could do anything on the page anyway, so its `embedUrl` may
 * have any origin. Markup isn't trusted, because user content such as comments and reviews often keeps its `data-`
 * attributes and must not be able to embed someone else's iframe. So an `embedUrl` in markup must have the script's own
 * origin. The file has the same bytes for everyone, so the origin isn't written into it. It's read from the running
 * script with the accessor on `Document.prototype`, which an element named `currentScript` can't shadow. A module, an
 * inline script and a file that isn't the service's, such as a bundle or a blob, have no such origin. They refuse markup
 * with a console error until code sets the origin (see install-global.ts).
 */
import { installGlobal } from "./markup/install-global.ts";
import { currentScriptUrl } from "./page/host-document.ts";

const url = new URL(currentScriptUrl() ?? "about:blank");
installGlobal(window, url.pathname.startsWith("/embed/v") ? url.origin : null);
