/**
 * Each way a checkout can fail to load: which error the merchant's code gets and how soon, what the customer sees, and
 * how the customer can still pay. A refused iframe, an unlisted origin and a dead server look alike to a loader, so it
 * has to find the cause.
 */
import { expect, test, type Page } from "@playwright/test";
import { addresses } from "./urls.ts";
import { cards, pay, pressPay, typeCard } from "./checkout.ts";
import { appPage, pageAddress, scriptTag } from "./hosts/host-page.ts";
import { expectSessionPaid } from "./hosts/host-checkout.ts";
import { expireSession, openSession, type OpenSession } from "./hosts/sessions.ts";
import {
  checkoutIn,
  expectError,
  fallbackLink,
  openFailing,
  payByLink,
  unlisted,
  within,
} from "./load-errors/failing-page.ts";
import { faultyProxy, type FaultyProxy, type Spoiling } from "./load-errors/faulty-proxy.ts";

/** With any query, because a retry needs a different URL. */
const scriptFiles = /\/embed\/v[\d.]+\/oriel\.js/;

let spoiled: FaultyProxy | null = null;
test.afterEach(async () => {
  await spoiled?.close();
  spoiled = null;
});

test.describe("the error code of an iframe that doesn't load", () => {
  test("csp_blocked: the page's CSP has no frame-src for us", async ({ page }) => {
    const session = await openSession();
    const policy = `default-src 'none'; script-src 'self'; frame-src 'none'`;
    await openFailing(page, { embedUrl: session.embedUrl }, { "content-security-policy": policy });
    await expectError(page, "csp_blocked", within.cspBlocked);
    await payByLink(page, session);
  });

  test("frame_refused: a proxy adds X-Frame-Options", async ({ page }) => {
    const session = await openSession();
    await spoil({
      headers: (path) => (path.startsWith("/c/") ? { "x-frame-options": "DENY", "content-security-policy": null } : {}),
    });
    await openFailing(page, { embedUrl: spoiledUrl(session) });
    await expectError(page, "frame_refused", within.others);
    await payByLink(page, session);
  });

  test("frame_refused: a proxy adds its own CSP", async ({ page }) => {
    const session = await openSession();
    const policy = "frame-ancestors 'none'";
    await spoil({ headers: (path) => (path.startsWith("/c/") ? { "content-security-policy": policy } : {}) });
    await openFailing(page, { embedUrl: spoiledUrl(session) });
    await expectError(page, "frame_refused", within.others);
    await expect(fallbackLink(page)).toHaveAttribute("href", spoiledUrl(session));
  });

  test("network: nothing listens there", async ({ page }) => {
    const session = await openSession();
    const dead = await deadOrigin();
    const embedUrl = session.embedUrl.replace(addresses.checkout, dead);
    await openFailing(page, { embedUrl });
    await expectError(page, "network", within.others);
    await expect(fallbackLink(page)).toHaveAttribute("href", embedUrl);
  });

  test("origin_not_allowed: the session lists another origin", async ({ page }) => {
    const session = await openSession(unlisted);
    await openFailing(page, { embedUrl: session.embedUrl });
    await expectError(page, "origin_not_allowed", within.others);
    await payByLink(page, session);
  });

  test("session_expired: the session has expired", async ({ page }) => {
    const session = await openSession();
    await expireSession(session.sessionId);
    await openFailing(page, { embedUrl: session.embedUrl });
    await expectError(page, "session_expired", within.others);
  });

  test("session_invalid: the session doesn't exist", async ({ page }) => {
    const embedUrl = `${addresses.checkout}/c/cs_00000000000000000000000000#a-secret-of-nothing`;
    await openFailing(page, { embedUrl });
    await expectError(page, "session_invalid", within.others);
  });

  test("session_invalid: the secret belongs to another session", async ({ page }) => {
    const { embedUrl } = await openSession();
    await openFailing(page, { embedUrl: embedUrl.replace(/#.*/, "#a-secret-of-another-session") });
    await expectError(page, "session_invalid", within.others);
  });

  test("protocol_mismatch: the page's loader supports none of our versions", async ({ page }) => {
    const session = await openSession();
    await page.addInitScript(offerOnlyProtocol99, addresses.checkout);
    await openFailing(page, { embedUrl: session.embedUrl });
    await expectError(page, "protocol_mismatch", within.others);
    await payByLink(page, session);
  });

  test("handshake_timeout: the iframe loads without its session, and stays", async ({ page }) => {
    const session = await openSession();
    let isHanging = true;
    await spoil({ hangs: (path) => isHanging && path.endsWith("/open") });
    await openFailing(page, { embedUrl: spoiledUrl(session) });
    // The customer is already typing.
    const till = checkoutIn(page);
    await till.getByLabel("Card number", { exact: true }).pressSequentially("4242");
    await expectError(page, "handshake_timeout", within.others);
    await expect(till.getByLabel("Card number", { exact: true })).toHaveValue("4242");
    isHanging = false;
    const [frame, link] = await Promise.all([
      page.locator("#app iframe:not([hidden])").boundingBox(),
      fallbackLink(page).boundingBox(),
    ]);
    expect(link?.y).toBeGreaterThanOrEqual((frame?.y ?? 0) + (frame?.height ?? 0));
    await payByLink(page, session);
  });
});

test.describe("a blocked script", () => {
  const blockers: [string, (page: Page) => Promise<Record<string, string>>][] = [
    ["by the page's CSP", async () => ({ "content-security-policy": "default-src 'none'; script-src 'self'" })],
    [
      "by the customer's browser",
      async (page) => {
        await page.route(scriptFiles, (route) => route.abort("blockedbyclient"));
        return {};
      },
    ],
    [
      "by a missing response",
      async (page) => {
        await page.route(scriptFiles, () => {});
        return {};
      },
    ],
  ];
  for (const [how, block] of blockers) {
    test(`is reported as script_blocked in time and retried on the next call, ${how}`, async ({ page }) => {
      const session = await openSession();
      const headers = await block(page);
      await page.goto(await pageAddress(appPage("loader", {}, { headers })));
      const started = Date.now();
      const code = await page.evaluate(
        (origin) =>
          window.loadOriel({ origin, timeout: 4_000 }).then(
            () => "loaded",
            (error: { code: string }) => error.code,
          ),
        addresses.checkout,
      );
      expect(code).toBe("script_blocked");
      expect(Date.now() - started).toBeLessThan(within.scriptBlocked);
      if (headers["content-security-policy"]) return;

      await page.unroute(scriptFiles);
      await page.evaluate(
        async ({ origin, embedUrl }) => {
          const oriel = await window.loadOriel({ origin });
          oriel?.mountCheckout("#app", { embedUrl });
        },
        { origin: addresses.checkout, embedUrl: session.embedUrl },
      );
      await pay(checkoutIn(page), cards.approved);
      await expectSessionPaid(session.sessionId);
    });
  }

  test("keeps the element's own link, which leads to the full page", async ({ page }) => {
    const session = await openSession();
    const headers = { "content-security-policy": "default-src 'none'; script-src 'self'" };
    const body = `<oriel-checkout embed-url="${session.embedUrl}"><a href="${session.embedUrl}">Pay on our secure page</a></oriel-checkout>`;
    await page.goto(await pageAddress({ head: scriptTag, body, headers }));
    await page.getByRole("link", { name: "Pay on our secure page" }).click();
    await pay(page, cards.approved);
    await expectSessionPaid(session.sessionId);
  });
});

test("an iframe that was refused once is retried and takes the payment", async ({ page }) => {
  const session = await openSession();
  let refusals = 0;
  await spoil({
    headers: (path) => {
      if (!path.startsWith("/c/") || refusals > 0) return {};
      refusals += 1;
      return { "content-security-policy": "frame-ancestors 'none'" };
    },
  });
  await openFailing(page, { embedUrl: spoiledUrl(session), timeout: 10_000 });
  const till = checkoutIn(page);
  await typeCard(till, cards.approved);
  await pressPay(till);
  await expectSessionPaid(session.sessionId);
  expect(spoiled?.asked.filter((path) => path.startsWith("/c/"))).toHaveLength(2);
  expect(await page.evaluate(() => window.heard.filter(({ type }) => type === "error"))).toEqual([]);
});

test("an iframe that is always refused is tried twice and no more", async ({ page }) => {
  const session = await openSession();
  await spoil({
    headers: (path) => (path.startsWith("/c/") ? { "content-security-policy": "frame-ancestors 'none'" } : {}),
  });
  await openFailing(page, { embedUrl: spoiledUrl(session), timeout: 10_000 });
  await expectError(page, "frame_refused", within.others);
  await page.waitForTimeout(3_000);
  expect(spoiled?.asked.filter((path) => path.startsWith("/c/"))).toHaveLength(2);
});

// --- helpers
// -----------------------------------------------------------------------------------------------------------------------

async function spoil(how: Spoiling): Promise<void> {
  spoiled = await faultyProxy(how);
}

function spoiledUrl({ embedUrl }: OpenSession): string {
  if (!spoiled) throw new Error("Bug: nothing is spoiled yet");
  return spoiled.embedUrl(embedUrl);
}

/** An origin whose port was free a moment ago. */
async function deadOrigin(): Promise<string> {
  const { origin, close } = await faultyProxy({});
  await close();
  return origin;
}

/** Makes every `init` of this page offer a protocol version that doesn't exist, like an incompatible loader. */
function offerOnlyProtocol99(checkout: string): void {
  const getter = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, "contentWindow")?.get;
  Object.defineProperty(HTMLIFrameElement.prototype, "contentWindow", {
    get(this: HTMLIFrameElement) {
      const inner = getter?.call(this) as Window | null; // this getter's type
      if (!inner || !this.src.startsWith(checkout)) return inner;
      return new Proxy(inner, {
        get: (target, key) =>
          key === "postMessage"
            ? (_message: unknown, origin: string, ports: Transferable[]) =>
                target.postMessage({ type: "oriel:init", protocol: [99] }, origin, ports)
            : (Reflect.get(target, key) as unknown),
      });
    },
  });
}
