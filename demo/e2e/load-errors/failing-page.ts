/**
 * Shared by the tests of load errors: a page whose checkout fails to load, the error that its code gets and how soon,
 * and how the customer can still pay.
 */
import { expect, type Page } from "@playwright/test";
import { cards, pay } from "../checkout.ts";
import { expectSessionPaid } from "../hosts/host-checkout.ts";
import { appPage, pageAddress } from "../hosts/host-page.ts";
import type { OpenSession } from "../hosts/sessions.ts";
import { addresses } from "../urls.ts";
import { faultyProxy, type FaultyProxy, type Tampering } from "./faulty-proxy.ts";

/** A proxy that closes with the page's context, which is when the test ends. */
export async function tamper(page: Page, how: Tampering): Promise<FaultyProxy> {
  const proxy = await faultyProxy(how);
  page.context().once("close", () => void proxy.close());
  return proxy;
}

/**
 * Time limits of the errors, in milliseconds. Merchants are promised these in docs/embed/troubleshooting.md, so these
 * tests measure time, unlike all others.
 */
export const within = { cspBlocked: 1_000, scriptBlocked: 10_000, others: 20_000 };

/** Options of a session that none of our host pages may embed. */
export const unlisted = { allowed_origins: ["https://another-shop.example"] };

export async function openFailing(
  page: Page,
  options: object,
  headers: Record<string, string> = {},
  head = "",
): Promise<void> {
  await page.addInitScript(recordEventTimes);
  await page.goto(await pageAddress(appPage("esm", options, { headers, head })));
}

/** Records when the page receives its first event of each type, by the page's clock. */
function recordEventTimes(): void {
  const times: Record<string, number> = {};
  Object.defineProperty(window, "times", { value: times });
  let list: { type: string; detail: unknown }[] = [];
  const watched = (events: { type: string; detail: unknown }[]) =>
    new Proxy(events, {
      set(target, key, value: { type?: string }) {
        if (typeof value === "object" && value.type) times[value.type] ??= performance.now();
        return Reflect.set(target, key, value);
      },
    });
  Object.defineProperty(window, "received", {
    get: () => list,
    set(events: typeof list) {
      list = watched(events);
    },
  });
}

export async function expectError(page: Page, code: string, withinMs: number): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => window.received.some(({ type }) => type === "error")), {
      timeout: within.others + 5_000,
    })
    .toBe(true);
  const { errors, took } = await page.evaluate(() => {
    const times = Reflect.get(window, "times") as Record<string, number>; // set by recordEventTimes
    const codes = window.received
      .filter(({ type }) => type === "error")
      .map(({ detail }) => (detail as { code: string }).code);
    return { errors: codes, took: (times["error"] ?? 0) - (times["loadstart"] ?? 0) };
  });
  expect(errors).toEqual([code]);
  expect(took).toBeLessThan(withinMs);
}

/** Expects `loadOriel` on the open page to report in time that it can't load the script. */
export async function expectScriptBlocked(page: Page): Promise<void> {
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
}

/** The checkout's own iframe, not the hidden one that finds out why it doesn't load. */
export function checkoutIn(page: Page) {
  return page.locator("#app iframe:not([hidden])").contentFrame();
}

export function fallbackLink(page: Page) {
  return page.locator("#app a");
}

export async function payByLink(page: Page, session: OpenSession): Promise<void> {
  await fallbackLink(page).click();
  await page.waitForURL(/\/c\/cs_/);
  await pay(page, cards.approved);
  await expectSessionPaid(session.sessionId);
}
