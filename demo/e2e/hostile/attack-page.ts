/**
 * The hostile pages, one file each in `pages`. What stands between the comments `attack` and `/attack` is the attack;
 * the same page without it is the control, and must take a payment as if nothing were wrong. In most of them the
 * payment must go through with the attack too, for an attack that only breaks the shop is no better for the shop.
 *
 * The pages are served by the host server, under the merchant's name or a stranger's. They are given the address of a
 * session of their own.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { addresses } from "../addresses.ts";
import { attribute, servePage } from "../hosts/host-page.ts";
import { expectSessionPaid } from "../hosts/host-till.ts";
import { openSession, type SessionFields, sessionOf } from "../hosts/sessions.ts";

export interface AttackPage {
  sessionId: string;
  embedUrl: string;
  /** The page's whole address. */
  url: string;
}

export interface AttackOptions {
  /** False: the control. */
  attack: boolean;
  /** Origin under which the page is served; the merchant's by default. */
  from?: string;
  session?: SessionFields;
  headers?: Record<string, string>;
  /** Another embed_url than the new session's, made from it. */
  embedUrl?: (embedUrl: string) => string;
  /** More of the page's placeholders. */
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

/** Renders a page, serves it and goes there. */
export async function openAttack(page: Page, name: string, options: AttackOptions): Promise<AttackPage> {
  const served = await serveAttack(name, options);
  await page.goto(served.url);
  return served;
}

/** The service says so, and the page was told once, in the right words. */
export async function expectPaidHere(page: Page, sessionId: string): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => Reflect.get(window, "heard") as unknown))
    .toEqual([{ sessionId, status: "complete", returnUrl: null }]);
  await expectSessionPaid(sessionId);
}

/** Nothing was paid, and nothing is about to be. */
export async function expectUnpaid(sessionId: string): Promise<void> {
  expect(await sessionOf(sessionId)).toMatchObject({ status: "open", payment_status: "unpaid" });
}

/** The frame shows the browser's own page about a refusal, as Chromium and Firefox call it, and no form. */
export async function expectRefused(page: Page): Promise<void> {
  const frame = () => page.frames().find((candidate) => candidate !== page.mainFrame());
  await expect.poll(() => frame()?.url()).toMatch(/^(chrome-error:|about:neterror\?e=cspBlocked)/);
  expect(await frame()?.locator("input").count()).toBe(0);
}

/** Every origin that a request of this page went to, frames included. */
export function recordOrigins(page: Page): Set<string> {
  const origins = new Set<string>();
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  return origins;
}

function readPage(name: string, attack: boolean, values: Record<string, string>): string {
  const file = readFileSync(join(import.meta.dirname, "pages", `${name}.html`), "utf8");
  const body = /<body>(.*)<\/body>/s.exec(file)?.[1] ?? "";
  const parts = body.split(/<!-- \/?attack -->/);
  if (parts.length % 2 === 0)
    throw new Error(`${name}.html opens an attack and does not close it, or the other way round`);
  const kept = parts.filter((_, at) => attack || at % 2 === 0).join("");
  return kept
    .replace(/<!-- script: ([a-z-]+) -->/g, (_, script: string) => `<script>${readScript(script)}</script>`)
    .replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
      const value = values[key];
      if (value === undefined) throw new Error(`${name}.html asks for {{${key}}}, which it is not given`);
      return key === "frameAttributes" ? value : attribute(value);
    });
}

function readScript(name: string): string {
  return readFileSync(join(import.meta.dirname, "scripts", `${name}.js`), "utf8");
}
