/**
 * The hostile pages, one file each in `pages`. The code between the comments `attack` and `/attack` is the attack.
 * Without it the page is the control, which must take a payment normally. With most attacks the payment must succeed
 * too, because an attack that merely breaks the shop also harms it.
 *
 * The host server serves the pages under the merchant's or a stranger's name. Each gets the URL of its own session.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { expectSessionPaid } from "../hosts/host-checkout.ts";
import { attribute, servePage } from "../hosts/host-page.ts";
import { openSession, type SessionFields, sessionOf } from "../hosts/sessions.ts";
import { addresses } from "../urls.ts";

export interface AttackPage {
  sessionId: string;
  embedUrl: string;
  /** The page's full URL. */
  url: string;
}

export interface AttackOptions {
  /** False: the control. */
  attack: boolean;
  /** Origin that serves the page, by default the merchant's. */
  from?: string;
  session?: SessionFields;
  headers?: Record<string, string>;
  /** Derives a different embed_url from the new session's. */
  embedUrl?: (embedUrl: string) => string;
  /** Values of the page's other placeholders. */
  values?: Record<string, string>;
}

/** Renders a page for a new session and serves it. */
export async function serveAttack(name: string, options: AttackOptions): Promise<AttackPage> {
  const { from = addresses.hosts, headers = {} } = options;
  const session = await openSession(options.session);
  const embedUrl = options.embedUrl?.(session.embedUrl) ?? session.embedUrl;
  const html = readPage(name, options.attack, {
    embedUrl,
    checkout: addresses.checkout,
    checkoutHost: new URL(addresses.checkout).host,
    checkoutWithDot: addresses.checkout.replace("localhost:", "localhost.:"),
    checkoutOverTls: addresses.checkout.replace("http:", "https:"),
    stranger: addresses.other,
    frameAttributes: "",
    ...options.values,
  });
  return { sessionId: session.sessionId, embedUrl, url: from + (await servePage({ body: html, headers })) };
}

/** Renders and serves a page, and opens it. */
export async function openAttack(page: Page, name: string, options: AttackOptions): Promise<AttackPage> {
  const served = await serveAttack(name, options);
  await page.goto(served.url);
  return served;
}

/** Expects that the session is paid in the service, and that the page received exactly one correct event. */
export async function expectPaidHere(page: Page, sessionId: string): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => Reflect.get(window, "received") as unknown))
    .toEqual([{ sessionId, status: "complete", returnUrl: null }]);
  await expectSessionPaid(sessionId);
}

/** Expects that nothing was paid and no payment is in progress. */
export async function expectUnpaid(sessionId: string): Promise<void> {
  expect(await sessionOf(sessionId)).toMatchObject({ status: "open", payment_status: "unpaid" });
}

/** Expects the browser's own error page, as Chromium and Firefox call it, and no form. */
export async function expectRefused(page: Page): Promise<void> {
  const frame = () => page.frames().find((candidate) => candidate !== page.mainFrame());
  await expect.poll(() => frame()?.url()).toMatch(/^(chrome-error:|about:neterror\?e=cspBlocked)/);
  expect(await frame()?.locator("input").count()).toBe(0);
}

/** Origins of all requests of this page, including iframes. */
export function recordOrigins(page: Page): Set<string> {
  const origins = new Set<string>();
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  return origins;
}

function readPage(name: string, attack: boolean, values: Record<string, string>): string {
  const file = readFileSync(join(import.meta.dirname, "pages", `${name}.html`), "utf8");
  const body = /<body>(.*)<\/body>/s.exec(file)?.[1] ?? "";
  const parts = body.split(/<!-- \/?attack -->/);
  if (parts.length % 2 === 0) throw new Error(`${name}.html has an unmatched attack comment`);
  const chosen = parts.filter((_, at) => attack || at % 2 === 0).join("");
  return chosen
    .replace(/<!-- script: ([a-z-]+) -->/g, (_, script: string) => `<script>${readScript(script)}</script>`)
    .replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
      const value = values[key];
      if (value === undefined) throw new Error(`${name}.html needs a value for {{${key}}}`);
      return key === "frameAttributes" ? value : attribute(value);
    });
}

function readScript(name: string): string {
  return readFileSync(join(import.meta.dirname, "scripts", `${name}.js`), "utf8");
}
