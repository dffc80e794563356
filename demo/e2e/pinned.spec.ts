/**
 * Merchants who pin the loader keep their version, however the service changes. The oldest supported release takes
 * payments in today's iframe: it offers its version of the protocol, and gets nothing it doesn't support.
 */
import { createHash } from "node:crypto";
import { expect, test, type Page } from "@playwright/test";
import { addresses } from "./addresses.ts";
import { answerChallenge, cards, pay } from "./checkout.ts";
import { markup, pageAddress } from "./hosts/host-page.ts";
import { expectSessionPaid } from "./hosts/host-till.ts";
import { openSession, sessionOf } from "./hosts/sessions.ts";

const release = `${addresses.checkout}/embed/v1.0.0/oriel.js`;

for (const viewport of [
  { width: 1280, height: 900 },
  { width: 360, height: 640 },
]) {
  test(`release 1.0.0 pays with a challenge in today's iframe, ${viewport.width} px wide`, async ({ page }) => {
    await page.setViewportSize(viewport);
    const { embedUrl, sessionId } = await openSession();
    const wrong = await open(page, embedUrl);
    await pay(page.locator("#checkout iframe").contentFrame(), cards.challenge);
    await answerChallenge(page, "111111");
    await expect
      .poll(() => page.evaluate(() => Reflect.get(window, "told") as unknown))
      .toEqual([{ sessionId, status: "complete", returnUrl: null }]);
    expect((await sessionOf(sessionId)).status).toBe("complete");
    expect(wrong).toEqual([]);
  });
}

test("release 1.0.0 is notified of a decline, and the next card pays", async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  const wrong = await open(page, embedUrl);
  const till = page.locator("#checkout iframe").contentFrame();
  await pay(till, cards.declined);
  await expect
    .poll(() => page.evaluate(() => Reflect.get(window, "told") as unknown))
    .toMatchObject([{ retryable: true }]);
  await pay(till, cards.approved);
  await expectSessionPaid(sessionId);
  expect(wrong).toEqual([]);
});

test("a pinned release matches its hash and is cached forever", async ({ page, request }) => {
  const host = { host: new URL(addresses.checkout).host };
  const served = await request.get(`${addresses.api}/embed/v1.0.0/oriel.js`, { headers: host });
  expect(served.headers()).toMatchObject({
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": expect.stringContaining("immutable"),
  });
  const hashes = JSON.stringify(await (await request.get(`${addresses.api}/embed/sri.json`, { headers: host })).json());
  const digest = createHash("sha384")
    .update(await served.body())
    .digest("base64");
  expect(hashes).toContain(`sha384-${digest}`);

  for (const [integrity, loads] of [
    [`sha384-${digest}`, true],
    [`sha384-${"A".repeat(64)}`, false],
  ] as const) {
    const head = `<script src="${release}" integrity="${integrity}" crossorigin="anonymous"></script>`;
    await page.goto(await pageAddress({ head }));
    expect(await page.evaluate(() => "Oriel" in window)).toBe(loads);
  }
});

/** @returns errors in the page, as they happen */
async function open(page: Page, embedUrl: string): Promise<string[]> {
  const wrong: string[] = [];
  page.on("pageerror", ({ message }) => wrong.push(message));
  const head = `<script>told = []; hear = (detail) => told.push(detail);</script><script src="${release}" async></script>`;
  await page.goto(await pageAddress({ head, body: markup(embedUrl, { "on-complete": "hear", "on-decline": "hear" }) }));
  return wrong;
}
