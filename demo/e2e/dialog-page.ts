/** A page with a button that opens the checkout in a dialog. */
import { expect, type Page } from "@playwright/test";
import { expectReady, formIn } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";

/** A page whose button opens the checkout by script. */
export async function openDialogPage(page: Page): Promise<string> {
  const { sessionId, embedUrl } = await openSession();
  await page.goto(await pageAddress(appPage("esm", {}, { body: "<button id=buy>Buy</button>" })));
  await page.evaluate((url) => {
    const checkout = window.embed.createCheckout({ embedUrl: url, presentation: "modal" });
    checkout.on("*", window.receive);
    document.querySelector("#buy")?.addEventListener("click", () => checkout.mount("#app"));
  }, embedUrl);
  await page.getByRole("button", { name: "Buy" }).focus();
  await page.keyboard.press("Enter");
  await expectReady(formIn(page, "dialog[open]"));
  return sessionId;
}

export async function expectClosed(page: Page, button = "Buy"): Promise<void> {
  await expect(page.locator("dialog")).toHaveCount(0);
  await expect(page.locator("iframe")).toHaveCount(0);
  await expect(page.getByRole("button", { name: button })).toBeFocused();
}
