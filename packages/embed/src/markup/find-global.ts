/** How the script's one global is told from whatever else may be called Oriel, such as a form of that name. */
import type { OrielGlobal } from "./install-global.ts";

/** The registry's symbol, because two copies of this file must agree. */
export const globalMark = /* @__PURE__ */ Symbol.for("oriel.embed");

/**
 * Our global, if it is on the page already.
 *
 * @param page `window`.
 */
export function findGlobal(page: object): OrielGlobal | null {
  const found = ownOriel(page);
  const isOurs = typeof found === "object" && found !== null && Object.hasOwn(found, globalMark);
  return isOurs ? (found as OrielGlobal) : null; // only install-global.ts makes an object with that mark
}

/** What the page itself put under that name; an element of that id is there by inheritance only. */
export function ownOriel(page: object): unknown {
  return Object.getOwnPropertyDescriptor(page, "Oriel")?.value;
}
