/**
 * Each way a checkout can fail to load: which error the merchant's code gets and how soon, what the customer sees, and
 * how the customer can still pay. What depends on the browser is in `load-errors.spec.ts`.
 */
import { expect, test, type Route } from "@playwright/test";
import { cards, pay } from "./checkout.ts";
import { expectSessionPaid } from "./hosts/host-checkout.ts";
import { appPage, pageAddress, scriptTag } from "./hosts/host-page.ts";
import { expireSession, openSession } from "./hosts/sessions.ts";
import {
  checkoutIn,
  expectError,
  expectScriptBlocked,
  fallbackLink,
  openFailing,
  payByLink,
  tamper,
  unlisted,
  within,
} from "./load-errors/failing-page.ts";
import { addresses } from "./urls.ts";

/** With any query, because a retry needs a different URL. */
const scriptFiles = /\/embed\/v[\d.]+\/oriel\.js/;

test.describe("the error code of an iframe that doesn't load", () => {
  test("frame_refused: a proxy adds its own CSP", async ({ page }) => {
    const session = await openSession();
    const policy = "frame-ancestors 'none'";
    const proxy = await tamper(page, {
      headers: (path) => (path.startsWith("/c/") ? { "content-security-policy": policy } : {}),
    });
    await openFailing(page, { embedUrl: proxy.embedUrl(session.embedUrl) });
    await expectError(page, "frame_refused", within.others);
    await expect(fallbackLink(page)).toHaveAttribute("href", proxy.embedUrl(session.embedUrl));
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
    const proxy = await tamper(page, { hangs: (path) => isHanging && path.endsWith("/open") });
    await page.clock.install();
    await openFailing(page, { embedUrl: proxy.embedUrl(session.embedUrl) });
    // The customer is already typing.
    const form = checkoutIn(page);
    await form.getByLabel("Card number", { exact: true }).pressSequentially("4242");
    await page.clock.fastForward(15_000);
    await expectError(page, "handshake_timeout", within.others);
    await expect(form.getByLabel("Card number", { exact: true })).toHaveValue("4242");
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
  const blockers: [string, (route: Route) => unknown][] = [
    ["by the customer's browser", (route) => route.abort("blockedbyclient")],
    ["by a missing response", () => {}],
  ];
  for (const [how, block] of blockers) {
    test(`is reported as script_blocked in time and retried on the next call, ${how}`, async ({ page }) => {
      const session = await openSession();
      await page.route(scriptFiles, block);
      await page.goto(await pageAddress(appPage("loader")));
      await expectScriptBlocked(page);

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

test("an iframe that is always refused is tried twice and no more", async ({ page }) => {
  const session = await openSession();
  const proxy = await tamper(page, {
    headers: (path) => (path.startsWith("/c/") ? { "content-security-policy": "frame-ancestors 'none'" } : {}),
  });
  await openFailing(page, { embedUrl: proxy.embedUrl(session.embedUrl), timeout: 10_000 });
  await expectError(page, "frame_refused", within.others);
  // An iframe that isn't in the document can't load.
  await expect(page.locator("iframe")).toHaveCount(0);
  expect(proxy.requested.filter((path) => path.startsWith("/c/"))).toHaveLength(2);
});

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
