/**
 * In test mode, a script that fills in the form and clicks Pay at once pays without a confirmation, as merchants' tests do.
 */
import { test } from "@playwright/test";
import { payByScript, places } from "./scripted-visit.ts";

for (const [place, open] of Object.entries(places)) {
  // The test pays without a confirmation, or fails.
  test(`a script that clicks Pay at once pays ${place}`, ({ page }) => payByScript(page, open));
}
