/** The most common import in a merchant's bundle, whose size the build measures. */
export { mountCheckout } from "../src/index.ts";
