/**
 * Integrations whose surroundings of the iframe depend on the browser: a shadow tree, and StrictMode, which mounts
 * twice. A challenge takes the iframe through all its states. The other integrations are in
 * `integrations.chromium.spec.ts`.
 */
import { test } from "@playwright/test";
import { payWithOneLoad } from "./hosts/host-checkout.ts";
import { ways } from "./hosts/integrations.ts";

for (const way of ["the element", "React in StrictMode"] as const) {
  test(
    `by ${way} a customer passes the bank's challenge, with one load of the iframe`,
    { tag: "@quick" },
    async ({ page }) => payWithOneLoad(page, ways[way]),
  );
}
