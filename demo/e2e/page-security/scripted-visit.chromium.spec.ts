/** The same as `scripted-visit.spec.ts` on a slow device, which only Chromium's protocol can imitate. */
import { test, type Frame, type Page } from "@playwright/test";
import { payByScript, places } from "./scripted-visit.ts";

for (const place of ["in the page", "in a dialog"] as const) {
  test(`a script that clicks Pay at once pays ${place} on a device that is six times slower`, async ({ page }) => {
    await slowDown(page);
    page.on("framenavigated", (frame) => void slowDown(frame));
    await payByScript(page, places[place]);
  });
}

async function slowDown(target: Page | Frame): Promise<void> {
  const context = "context" in target ? target.context() : target.page().context();
  // An iframe in the process of its page has no session of its own, and is as slow as the page.
  await context.newCDPSession(target).then(
    (session) => session.send("Emulation.setCPUThrottlingRate", { rate: 6 }),
    () => {},
  );
}
