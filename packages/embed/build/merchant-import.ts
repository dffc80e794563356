/** What a merchant's bundle takes in most often; the build weighs it. */
export { mountCheckout } from "../src/index.ts";
