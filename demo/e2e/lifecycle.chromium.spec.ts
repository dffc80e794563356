/**
 * What a page does with a checkout: changes its language and appearance, mounts several, puts it into a shadow tree and
 * aborts it. Uses the ES module, so that tests can do what a merchant's code could.
 */
import { expect, test } from "@playwright/test";
import { cards, pay, typeCard, pressPay } from "./checkout.ts";
import {
  countFrameLoads,
  expectReceived,
  expectReady,
  expectSessionPaid,
  expectTyped,
  received,
  payAndPassChallenge,
  formIn,
} from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";

test("update() changes language and appearance of a mounted form and keeps the input", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession();
  const loads = countFrameLoads(page);
  await page.goto(await pageAddress(appPage("esm", { embedUrl, locale: "en" })));
  const form = formIn(page);
  await typeCard(form, cards.approved);
  await expect(form.getByTestId("oriel-pay")).toContainText("Pay");

  await page.evaluate(() =>
    window.checkout.update({ locale: "de", appearance: { theme: "dark", variables: { colorPrimary: "#7a1fa2" } } }),
  );
  await expect(form.getByTestId("oriel-pay")).toContainText(/zahlen/i);
  await expect(form.locator("html")).toHaveAttribute("lang", "de");
  await expect(form.locator("html")).toHaveCSS("color-scheme", "dark");
  await expect(form.getByTestId("oriel-pay")).toHaveCSS("background-color", "rgb(122, 31, 162)");
  await expectTyped(form, cards.approved);

  await pressPay(form);
  await expectSessionPaid(sessionId);
  expect(loads()).toBe(1);
});

test("update() returns the values that the iframe refused and applies the rest", async ({ page }) => {
  const { embedUrl } = await openSession();
  await page.goto(await pageAddress(appPage("esm", { embedUrl, locale: "en" })));
  await expectReady(formIn(page));
  const refusal = await page.evaluate(() =>
    window.checkout
      .update({ locale: "de", appearance: { variables: { colorPrimary: "url(https://evil.example/x)" } } })
      .then(String, String),
  );
  expect(refusal).toMatch(/^TypeError: .*appearance\.variables\.colorPrimary/);
  await expect(formIn(page).locator("html")).toHaveAttribute("lang", "de");
});

test("two checkouts on one page are independent, with separate payments and events", async ({ page }) => {
  const sessions = [await openSession(), await openSession({ amount: 1200 })];
  await page.goto(await pageAddress(appPage("esm", {}, { body: `<div id="one"></div><div id="two"></div>` })));
  await page.evaluate(
    ([one = "", two = ""]) => {
      const { embed, received } = window;
      embed.mountCheckout("#one", { embedUrl: one, onComplete: (detail) => received.push({ type: "one", detail }) });
      embed.mountCheckout("#two", { embedUrl: two, onComplete: (detail) => received.push({ type: "two", detail }) });
    },
    sessions.map(({ embedUrl }) => embedUrl),
  );

  const [first, second] = [formIn(page, "#one"), formIn(page, "#two")];
  await typeCard(first, cards.approved);
  await pay(second, cards.approved);
  await expectReceived(page, "two");
  expect(await received(page, "one")).toEqual([]);
  await expectTyped(first, cards.approved);
  await pressPay(first);
  await expectReceived(page, "one");
  expect(await received(page, "one")).toMatchObject([{ sessionId: sessions[0]?.sessionId }]);
  for (const { sessionId } of sessions) await expectSessionPaid(sessionId);
});

test("a customer passes the bank's challenge in a shadow tree", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession();
  await page.goto(await pageAddress(appPage("esm")));
  await page.evaluate((url) => {
    const root = document.querySelector("#app")?.attachShadow({ mode: "open" });
    const container = document.createElement("section");
    root?.append(container);
    window.embed.mountCheckout(container, { embedUrl: url });
  }, embedUrl);
  await payAndPassChallenge(page, formIn(page));
  await expectSessionPaid(sessionId);
});

test("aborting the signal removes the iframe and disables the handle", async ({ page }) => {
  const { embedUrl } = await openSession();
  await page.goto(await pageAddress(appPage("esm")));
  const state = await page.evaluate(async (url) => {
    const controller = new AbortController();
    const checkout = window.embed.mountCheckout("#app", { embedUrl: url, signal: controller.signal });
    await checkout.ready;
    controller.abort();
    checkout.mount("#app").unmount();
    checkout.focus();
    checkout.cancelChallenge();
    await checkout.update({ locale: "de" });
    const submitted = await checkout.submit();
    return [checkout.state, submitted.type];
  }, embedUrl);
  expect(state).toEqual(["destroyed", "error"]);
  await expect(page.locator("iframe")).toHaveCount(0);
});

test("aborting the signal while the iframe loads leaves nothing behind and reports destroyed", async ({ page }) => {
  const { embedUrl } = await openSession();
  await page.goto(await pageAddress(appPage("esm")));
  const code = await page.evaluate((url) => {
    const controller = new AbortController();
    const checkout = window.embed.mountCheckout("#app", { embedUrl: url, signal: controller.signal });
    controller.abort();
    return checkout.ready.then(
      () => "ready",
      (error: { code: string }) => error.code,
    );
  }, embedUrl);
  expect(code).toBe("destroyed");
  await expect(page.locator("iframe")).toHaveCount(0);
});
