/**
 * The script-tag build, `/embed/v1/oriel.js`: the same code behind one global, `Oriel`, and checkouts written as
 * markup.
 *
 * ```html
 * <div data-oriel-checkout data-oriel-embed-url="EMBED_URL" data-oriel-on-complete="onPaid"></div>
 * ```
 *
 * Which origin it trusts. Code on the page that calls `Oriel.mountCheckout` could do anything anyway: the origin of the
 * `embedUrl` it passes is taken. Markup is weaker: comments and reviews written by strangers often keep their `data-`
 * attributes, and must not be able to put a stranger's frame on the page. So an `embedUrl` from markup must have the
 * origin this script was loaded from. The file is the same bytes for everyone, so that origin is not written into it;
 * it is read from the running script by the accessor on `Document.prototype`, which no element named `currentScript`
 * can shadow. Run as a module, it finds no such origin: then it takes checkouts from code only, and says so, until code
 * names the origin (see install-global.ts).
 */
import { currentScriptUrl } from "./host-document.ts";
import { installGlobal } from "./markup/install-global.ts";

const scriptUrl = currentScriptUrl();
installGlobal(window, scriptUrl === null ? null : new URL(scriptUrl).origin);
