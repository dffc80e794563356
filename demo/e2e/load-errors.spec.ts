/**
 * Ways a checkout can fail to load that look different in each browser: which error the merchant's code gets and how
 * soon, and how the customer can still pay. A refused iframe and a dead server look alike to a loader, so it has to
 * find the cause. The other errors are in `load-errors.chromium.spec.ts`.
 */
import { expect, test } from "@playwright/test";
import { cards, pressPay, typeCard } from "./checkout.ts";
import { expectSessionPaid } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";
import {
  checkoutIn,
  expectError,
  expectScriptBlocked,
  fallbackLink,
  openFailing,
  payByLink,
  tamper,
  within,
} from "./load-errors/failing-page.ts";
import { faultyProxy } from "./load-errors/faulty-proxy.ts";
import { addresses } from "./urls.ts";

test("csp_blocked: the page's CSP has no frame-src for us", async ({ page }) => {
  const session = await openSession();
  const policy = `default-src 'none'; script-src 'self'; frame-src 'none'`;
  await openFailing(page, { embedUrl: session.embedUrl }, { "content-security-policy": policy });
  await expectError(page, "csp_blocked", within.cspBlocked);
  await payByLink(page, session);
});

test("frame_refused: a proxy adds X-Frame-Options", async ({ page }) => {
  const session = await openSession();
  const proxy = await tamper(page, {
    headers: (path) => (path.startsWith("/c/") ? { "x-frame-options": "DENY", "content-security-policy": null } : {}),
  });
  await openFailing(page, { embedUrl: proxy.embedUrl(session.embedUrl) });
  await expectError(page, "frame_refused", within.others);
  await payByLink(page, session);
});

test("network: nothing listens there", async ({ page }) => {
  const session = await openSession();
  const dead = await deadOrigin();
  const embedUrl = session.embedUrl.replace(addresses.checkout, dead);
  await openFailing(page, { embedUrl });
  await expectError(page, "network", within.others);
  await expect(fallbackLink(page)).toHaveAttribute("href", embedUrl);
});

test("script_blocked: the page's CSP has no script-src for us", async ({ page }) => {
  const headers = { "content-security-policy": "default-src 'none'; script-src 'self'" };
  await page.goto(await pageAddress(appPage("loader", {}, { headers })));
  await expectScriptBlocked(page);
});

test("script_blocked: the script doesn't match its hash, although the page has preloaded it without one", async ({
  page,
  request,
}) => {
  const headers = { host: new URL(addresses.checkout).host };
  const sri = await request.get(`${addresses.api}/embed/sri.json`, { headers });
  const { versions } = (await sri.json()) as { versions: Record<string, { url: string; integrity: string }> }; // our own
  const release = Object.values(versions).at(-1);
  const url = `${addresses.checkout}${release?.url}`;
  await page.goto(await pageAddress(appPage("loader", {}, { head: `<link rel="modulepreload" href="${url}">` })));
  const load = (integrity: string | undefined) =>
    page.evaluate(
      ([origin, hash]) =>
        window.loadOriel({ origin, integrity: hash, retries: 0 }).then(
          () => "loaded",
          (error: { code: string }) => error.code,
        ),
      [addresses.checkout, integrity ?? ""] as const,
    );
  expect(await load(`sha384-${"A".repeat(64)}`)).toBe("script_blocked");
  expect(await load(release?.integrity)).toBe("loaded");
});

test("an iframe that was refused once is retried and takes the payment", async ({ page }) => {
  const session = await openSession();
  let refusals = 0;
  const proxy = await tamper(page, {
    headers: (path) => {
      if (!path.startsWith("/c/") || refusals > 0) return {};
      refusals += 1;
      return { "content-security-policy": "frame-ancestors 'none'" };
    },
  });
  await openFailing(page, { embedUrl: proxy.embedUrl(session.embedUrl), timeout: 10_000 });
  const form = checkoutIn(page);
  await typeCard(form, cards.approved);
  await pressPay(form);
  await expectSessionPaid(session.sessionId);
  expect(proxy.requested.filter((path) => path.startsWith("/c/"))).toHaveLength(2);
  expect(await page.evaluate(() => window.received.filter(({ type }) => type === "error"))).toEqual([]);
});

/** An origin whose port was free a moment ago. */
async function deadOrigin(): Promise<string> {
  const { origin, close } = await faultyProxy({});
  await close();
  return origin;
}
