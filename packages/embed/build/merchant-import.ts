/** The most common import in a merchant's bundle. The build measures it. */
export { mountCheckout } from "../src/index.ts";
