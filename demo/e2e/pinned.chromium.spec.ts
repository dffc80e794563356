/**
 * Merchants who pin the loader keep that version, however the service changes. A loader that never changes
 * (`fixtures/pinned-oriel.js`, with penpal's messages written out) takes payments with today's iframe: it offers its
 * own protocol version, and it's sent nothing that it can't handle.
 */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { expect, test, type Page } from "@playwright/test";
import { completeChallenge, cards, pay } from "./checkout.ts";
import { expectSessionPaid } from "./hosts/host-checkout.ts";
import { markup, pageAddress } from "./hosts/host-page.ts";
import { openSession, sessionOf } from "./hosts/sessions.ts";
import { addresses } from "./urls.ts";

/** The pinned loader's URL in the tests. It's on the service's origin, because markup must name that origin. */
const pinned = `${addresses.checkout}/embed/pinned/oriel.js`;
const fixture = fileURLToPath(new URL("fixtures/pinned-oriel.js", import.meta.url));
const integrity = "sha384-Kd32v4m8eYskf6ymq8GiXrU7NfUeUeQOWfRYtg4lWIBYuKJwG5UDpMD2oBtqg74D";

for (const viewport of [
  { width: 1280, height: 900 },
  { width: 360, height: 640 },
]) {
  test(`a pinned loader takes a payment with a challenge in today's iframe, ${viewport.width} px wide`, async ({
    page,
  }) => {
    await page.setViewportSize(viewport);
    const { embedUrl, sessionId } = await openSession();
    const wrong = await open(page, embedUrl);
    await pay(page.locator("#checkout iframe").contentFrame(), cards.challenge);
    await completeChallenge(page, "111111");
    await expect
      .poll(() => page.evaluate(() => Reflect.get(window, "received") as unknown))
      .toEqual([{ sessionId, status: "complete", returnUrl: null }]);
    expect((await sessionOf(sessionId)).status).toBe("complete");
    expect(wrong).toEqual([]);
  });
}

test("a pinned loader receives a decline, and the next card pays", async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  const wrong = await open(page, embedUrl);
  const form = page.locator("#checkout iframe").contentFrame();
  await pay(form, cards.declined);
  await expect
    .poll(() => page.evaluate(() => Reflect.get(window, "received") as unknown))
    .toMatchObject([{ retryable: true }]);
  await pay(form, cards.approved);
  await expectSessionPaid(sessionId);
  expect(wrong).toEqual([]);
});

test("a pinned version can be checked by its hash", async ({ page, request }) => {
  const headers = { host: new URL(addresses.checkout).host };
  const sri = await request.get(`${addresses.api}/embed/sri.json`, { headers });
  const { versions } = (await sri.json()) as { versions: Record<string, { url: string; integrity: string }> };
  const version = Object.values(versions).at(-1);
  const served = await request.get(`${addresses.api}${version?.url}`, { headers });
  expect(served.headers()).toMatchObject({
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
  });
  const digest = createHash("sha384")
    .update(await served.body())
    .digest("base64");
  expect(version?.integrity).toBe(`sha384-${digest}`);

  for (const [integrity, loads] of [
    [`sha384-${digest}`, true],
    [`sha384-${"A".repeat(64)}`, false],
  ] as const) {
    const head = `<script src="${addresses.checkout}${version?.url}" integrity="${integrity}" crossorigin="anonymous"></script>`;
    await page.goto(await pageAddress({ head }));
    expect(await page.evaluate(() => "Oriel" in window)).toBe(loads);
  }
});

/** @returns a list that collects errors in the page */
async function open(page: Page, embedUrl: string): Promise<string[]> {
  const wrong: string[] = [];
  page.on("pageerror", ({ message }) => wrong.push(message));
  await page.route(pinned, (route) =>
    route.fulfill({ path: fixture, contentType: "text/javascript", headers: { "access-control-allow-origin": "*" } }),
  );
  const head = `<script>received = []; onReceived = (detail) => received.push(detail);</script><script src="${pinned}" integrity="${integrity}" crossorigin="anonymous" async></script>`;
  await page.goto(
    await pageAddress({ head, body: markup(embedUrl, { "on-complete": "onReceived", "on-decline": "onReceived" }) }),
  );
  return wrong;
}
