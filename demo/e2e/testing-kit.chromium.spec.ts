/** `@oriel/embed/testing` as merchants' tests use it, with the checkout in a page, in a dialog and on the full page. */
import { expect, test } from "@playwright/test";
import { completeChallenge, fillCard, pay, resultText } from "@oriel/embed/testing";
import { expectSessionPaid, formIn } from "./hosts/host-checkout.ts";
import { appPage, markup, pageAddress, scriptTag } from "./hosts/host-page.ts";
import { openSession, sessionOf } from "./hosts/sessions.ts";
import { addresses } from "./urls.ts";

test("its helpers pay and pass a challenge on the merchant's page", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession();
  await page.goto(await pageAddress({ head: scriptTag, body: markup(embedUrl) }));
  await fillCard(page, "visa_3ds_challenge");
  await pay(page);
  await completeChallenge(page, "approve");
  await expectSessionPaid(sessionId);
  expect(await resultText(page)).not.toBe("");
});

test("its helpers cancel a challenge and pay with another card, in a shadow tree", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession();
  await page.goto(await pageAddress(appPage("element", { embedUrl })));
  await fillCard(page, "visa_3ds_challenge");
  await pay(page);
  await completeChallenge(page, "cancel");
  await expect(formIn(page).getByTestId("oriel-cvc")).toBeVisible();
  expect((await sessionOf(sessionId)).payment_status).toBe("unpaid");
  await fillCard(page, "visa");
  await pay(page);
  await expectSessionPaid(sessionId);
});

test("its helpers pay on the full page", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession({ return_url: `${addresses.hosts}/thanks` });
  await page.goto(embedUrl);
  await fillCard(page, "visa");
  await pay(page);
  await expect(page).toHaveURL(new RegExp(`^${addresses.hosts}/thanks`));
  await expectSessionPaid(sessionId);
});
