/** A request fails because the browser is offline, which each browser reports in its own way. */
import { expect, test } from "@playwright/test";
import { cards, typeCard } from "./checkout.ts";
import { received, formIn } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";

test("submit() from an offline host page reports that nothing was sent", async ({ page, context }) => {
  const { embedUrl, sessionId } = await openSession({ submit_button: "merchant" });
  await page.goto(await pageAddress(appPage("esm", { embedUrl, locale: "en" })));
  const form = formIn(page);
  await typeCard(form, cards.approved);
  await context.setOffline(true);
  const submit = () => page.evaluate(() => window.checkout.submit());
  expect(await submit()).toMatchObject({ type: "decline", code: "try_again", retryable: true });
  expect(await page.evaluate(() => window.checkout.state)).toBe("ready");
  expect(await received(page, "submit")).toEqual([]);
  await context.setOffline(false);
  expect(await submit()).toEqual({ type: "complete", sessionId });
});
