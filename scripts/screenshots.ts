/**
 * Takes the screenshots for the README and the guides, and one of every state of the page, from a running `npm start`
 * in test mode.
 *
 * It reads the demo account's key from the data directory, like the tests. Screenshots show the real page. Only brief
 * states, such as a pending response, are made to last.
 */
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { chromium, type Browser, type FrameLocator, type Page } from "@playwright/test";
import { sharedTestCards, testCards, threeDSecureCards, troubleCards } from "@oriel/protocol/test-cards";
import { createClient, type CreateCheckoutSession } from "@oriel/sdk";
import { priceParts } from "../demo/server/prices.ts";
import { requireChromium } from "./browsers.ts";

const usage = `npm run screenshots [-- PREFIX]   takes the screenshots in docs/images, or those whose names start with PREFIX, such as states/

  --help`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: "boolean" } } });
const [wanted = "", ...more] = positionals;
if (values.help || more.length > 0) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}

const shop = `http://shop.localhost:${process.env["SHOP_PORT"] || 4242}`;
const demo = readFileSync(join(process.env["ORIEL_DATA_DIR"] || ".oriel", "demo.env"), "utf8");
const oriel = createClient({
  apiUrl: `http://127.0.0.1:${process.env["ORIEL_PORT"] || 4000}`,
  secretKey: /^ORIEL_SECRET_KEY=(.+)$/m.exec(demo)?.[1] ?? "",
  totalTimeoutMs: 15_000,
});
const folder = "docs/images";
/** Size limit for the screenshots of states, to keep the repository small. */
const maxBytesOfState = 60_000;

/** The form, in an iframe or on the full page. */
type CheckoutForm = Page | FrameLocator;

interface Picture {
  width: number;
  height?: number;
  dark?: boolean;
  scale?: number;
  language?: string;
  /** Uses the full page instead of an iframe in the shop's page. */
  full?: true;
  session?: Partial<CreateCheckoutSession>;
  /** Options of the embed. */
  options?: object;
  /** Runs before the page is opened. */
  before?(page: Page, sessionId: string): Promise<unknown>;
  /** Brings the page into the state to be shown. */
  act(form: CheckoutForm, page: Page): Promise<unknown>;
  /** What to capture: the window or the contents of the iframe. */
  of?: "window" | "frame";
}

const year = String((new Date().getFullYear() + 3) % 100);
const order = {
  line_items: [
    { name: "The Oriel cup, 240 ml", amount: 3900, quantity: 1 },
    { name: "Saucer", amount: 500, quantity: 2 },
  ],
};
/** The demo shop's order. */
const cart = { ...priceParts(null), collect: { promotion_code: true } };
const waysBack = { return_url: `${shop}/thanks`, cancel_url: `${shop}/redirect` };
const [frictionless] = threeDSecureCards.frictionless;
const [challenge] = threeDSecureCards.challenge;

const usable = (form: CheckoutForm) => form.locator("#pay:enabled").waitFor();
const typed = (number: string) => async (form: CheckoutForm) => {
  await usable(form);
  await form.getByTestId("oriel-number").pressSequentially(number);
  await form.getByTestId("oriel-expiry").pressSequentially(`12${year}`);
  await form.getByTestId("oriel-cvc").pressSequentially("123");
};
const paid = (number: string, until: string) => async (form: CheckoutForm) => {
  await typed(number)(form);
  await form.getByTestId("oriel-pay").press("Enter"); // Chromium drops clicks in an iframe that has just moved
  await form.locator(until).first().waitFor();
};
/** The bank's page is two iframes further down. */
const bankPage = async (page: Page) => {
  const deadline = Date.now() + 15_000;
  while (!page.frames().some((frame) => frame.url().includes("/acs/challenge"))) {
    if (Date.now() > deadline) throw new Error("The bank's page didn't appear");
    await page.waitForTimeout(100);
  }
  await page.waitForTimeout(1_000);
};
const challenged = async (form: CheckoutForm, page: Page) => {
  await paid(challenge, "#bank iframe")(form);
  await bankPage(page);
};
/** Holds a request forever, which preserves the state that waits for it. */
const hold = (path: string) => (page: Page) => page.route(path, () => new Promise(() => {}));
const state = (act: Picture["act"], more: Partial<Picture> = {}): Picture => ({
  width: 390,
  of: "frame",
  act,
  ...more,
});

const pictures: Record<string, Picture> = {
  checkout: { width: 1280, height: 800, scale: 2, session: cart, act: typed(testCards.visa) },
  challenge: { width: 390, height: 844, scale: 2, act: challenged },

  ...Object.fromEntries(
    [320, 390, 768, 1280].flatMap((width) =>
      [false, true].flatMap((dark): [string, Picture][] => {
        const name = `${width}-${dark ? "dark" : "light"}`;
        const height = width < 768 ? 760 : 620;
        return [
          [
            `form/shop-${name}`,
            { width, height: width < 768 ? 900 : 980, dark, session: cart, act: typed(testCards.visa) },
          ],
          [`form/page-${name}`, { width, height, dark, full: true, session: { ...order, ...waysBack }, act: usable }],
        ];
      }),
    ),
  ),
  "form/right-to-left": { width: 390, of: "frame", language: "ar", act: typed(testCards.mastercard) },
  "form/right-to-left-page": {
    width: 1280,
    height: 620,
    full: true,
    language: "ar",
    session: { ...order, ...waysBack },
    act: usable,
  },
  "form/errors": {
    width: 390,
    of: "frame",
    act: async (form) => (await usable(form), form.getByTestId("oriel-pay").press("Enter")),
  },
  "form/fields": {
    width: 390,
    of: "frame",
    options: {
      fields: { name: "required", email: "required", postalCode: "required" },
      appearance: { labels: "floating" },
    },
    act: typed(testCards.visa),
  },
  "form/networks": { width: 390, of: "frame", act: typed(sharedTestCards.cartes_bancaires_visa) },
  "form/test-cards": {
    width: 390,
    of: "frame",
    act: async (form) => (await usable(form), form.getByText("Test cards").press("Enter")),
  },
  "form/receipt": { width: 768, height: 760, full: true, session: order, act: paid(testCards.visa, ".receipt dd") },
  "form/challenge-overlay": {
    width: 1280,
    height: 820,
    options: { threeDS: { presentation: "overlay" } },
    act: challenged,
  },

  "states/loading": state((form) => form.locator("#number").waitFor(), { before: hold("**/frame/sessions/**") }),
  "states/form": state(usable),
  "states/submitting": state(paid(testCards.visa, "#pay[aria-disabled]"), { before: hold("**/frame/payments") }),
  "states/authenticating": state(paid(frictionless, "#pay[aria-disabled]"), { before: hold("**/authenticate") }),
  "states/challenge": state(challenged),
  "states/declined": state(paid(testCards.insufficient_funds, "#notice:not([hidden])")),
  "states/processing": state(paid(troubleCards.timeout_after, "[data-result=processing]")),
  "states/succeeded": state(paid(testCards.visa, "[data-result=succeeded]")),
  "states/expired": state((form) => form.locator("[data-result=expired]").waitFor(), {
    before: (_page, id) => oriel.checkoutSessions.expire(id),
  }),
  "states/canceled": state((form) => form.locator("[data-result=canceled]").waitFor(), {
    before: (_page, id) => oriel.checkoutSessions.cancel(id),
  }),
  "states/unavailable": state((form) => form.locator("[data-result=unreachable]").waitFor(), {
    before: (page) => page.route("**/frame/sessions/**", (route) => route.abort()),
  }),
};

const browser = await chromium.launch({ executablePath: requireChromium().path });
for (const [name, picture] of Object.entries(pictures)) {
  if (!name.startsWith(wanted)) continue;
  const path = join(folder, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await take(browser, path, picture);
  const { size } = statSync(path);
  console.log(`${path}  ${Math.round(size / 1000)} kB`);
  if (name.startsWith("states/") && size > maxBytesOfState)
    throw new Error(`${path} is larger than ${maxBytesOfState} bytes`);
}
await browser.close();

async function take(from: Browser, path: string, picture: Picture): Promise<void> {
  const {
    width,
    height = 844,
    dark,
    scale = 1,
    language = "en-GB",
    full,
    options,
    before,
    act,
    of = "window",
  } = picture;
  const page = await from.newPage({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme: dark ? "dark" : "light",
    locale: language,
  });
  const { session, embed_url: embedUrl } = await oriel.checkoutSessions.create({
    amount: 4900,
    currency: "eur",
    description: "The Oriel cup, 240 ml, celadon",
    allowed_origins: [shop],
    ...picture.session,
  });
  await before?.(page, session.id);
  if (full) {
    await page.goto(embedUrl);
    await act(page, page);
  } else {
    await page.goto(`${shop}/script`);
    await page.waitForFunction(() => "Oriel" in globalThis);
    // Replaces the shop's own order, so that this script can choose the session.
    await page.evaluate(
      (mountOptions) => {
        const place = document.createElement("div");
        place.className = "checkout";
        document.querySelector(".checkout")?.replaceWith(place);
        // Exposed by the loader, but not in this script's types.
        const { Oriel } = globalThis as unknown as {
          Oriel: { mountCheckout(element: Element, options: object): void };
        };
        Oriel.mountCheckout(place, mountOptions);
      },
      { embedUrl, locale: language, ...options },
    );
    const frame = page.locator(".checkout iframe");
    await act(frame.contentFrame(), page);
    await page.locator(".checkout").scrollIntoViewIfNeeded();
  }
  await page.waitForTimeout(900); // the iframe reports a smaller height only every half second
  if (of === "frame") await page.locator(".checkout iframe").screenshot({ path, animations: "disabled" });
  else await page.screenshot({ path });
  await page.close();
}
