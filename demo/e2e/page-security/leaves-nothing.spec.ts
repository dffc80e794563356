/**
 * Input is gone when the customer leaves the page: fields are empty after Back, in the iframe and on the full page.
 * Before and after a payment, no card data is in storage, history, URLs or the console.
 */
import { expect, test, type BrowserContext, type Page } from "@playwright/test";
import { cards, pay, pressPay, typeCard, type CheckoutForm } from "../checkout.ts";
import { expectEmpty, expectReady, expectSessionPaid, expectTyped, formIn } from "../hosts/host-checkout.ts";
import { markup, pageAddress, scriptTag } from "../hosts/host-page.ts";
import { openSession } from "../hosts/sessions.ts";

/** A card whose digits are unlikely to occur by chance. */
const card = { ...cards.approved, cvc: "739" };
const places = {
  "on the full page": (embedUrl: string) => Promise.resolve(embedUrl),
  "in an iframe": (embedUrl: string) => pageAddress({ head: scriptTag, body: markup(embedUrl) }),
};
const formOf = (page: Page, place: string): CheckoutForm => (place === "in an iframe" ? formIn(page) : page);

for (const [place, addressOf] of Object.entries(places)) {
  test(`fields filled in ${place} are empty after Back`, { tag: "@quick" }, async ({ page }) => {
    const { embedUrl } = await openSession();
    await page.goto(await addressOf(embedUrl));
    const form = formOf(page, place);
    await typeCard(form, card);
    await expectTyped(form, card);

    await page.goto(await pageAddress({ body: "<h1>Elsewhere</h1>" }));
    await page.goBack();
    await expectReady(form);
    await expectEmpty(form);
  });

  test(`no data of a card used ${place} is left anywhere`, { tag: "@quick" }, async ({ page, context }) => {
    const received = recordWords(page, context);
    const { embedUrl, sessionId } = await openSession();
    await page.goto(await addressOf(embedUrl));
    const form = formOf(page, place);
    await typeCard(form, card);
    await expectNothingOf(page, received);
    await pressPay(form);
    await expectSessionPaid(sessionId);
    await expect(form.getByTestId("oriel-result")).toBeVisible();
    await expectNothingOf(page, received);
  });
}

test("control: the same check finds a card that a page keeps", { tag: "@quick" }, async ({ page, context }) => {
  const received = recordWords(page, context);
  await page.goto(await pageAddress({ body: "<h1>A careless page</h1>" }));
  await page.evaluate((number) => sessionStorage.setItem("card", number), card.number);
  expect(traces(await storedBy(page), received)).toEqual([card.number]);
  await page.evaluate((number) => history.replaceState(null, "", `?card=${number}`), card.number);
  await page.evaluate(() => sessionStorage.clear());
  expect(traces(await storedBy(page), received)).toEqual([card.number]);
});

test("input is cleared after the payment", { tag: "@quick" }, async ({ page }) => {
  const { embedUrl, sessionId } = await openSession();
  await page.goto(embedUrl);
  await pay(page, card);
  await expectSessionPaid(sessionId);
  await expect(page.getByTestId("oriel-result")).toBeVisible();
  await expectEmpty(page);
});

/** Starts collecting console output and requested URLs. */
function recordWords(page: Page, context: BrowserContext): string[] {
  const received: string[] = [];
  page.on("console", (message) => received.push(message.text()));
  page.on("pageerror", (error) => received.push(String(error)));
  context.on("request", (request) => received.push(request.url(), JSON.stringify(request.headers())));
  return received;
}

async function expectNothingOf(page: Page, received: string[]): Promise<void> {
  const state = await storedBy(page);
  expect(state.length).toBeGreaterThan(0);
  expect(traces(state, received)).toEqual([]);
  expect(await page.context().cookies()).toEqual([]);
}

/** What every document of the page has in its storage, URL and history. */
async function storedBy(page: Page): Promise<string[]> {
  const all = await Promise.all(
    page.frames().map((frame) =>
      frame.evaluate(async () => {
        const storages = [];
        // A cross-site iframe may have no access to storage.
        for (const name of ["localStorage", "sessionStorage"] as const) {
          try {
            storages.push(JSON.stringify(Object.entries(window[name])));
          } catch {
            storages.push("denied");
          }
        }
        const databases = await indexedDB.databases().catch(() => []);
        const caches = "caches" in window ? await window.caches.keys().catch(() => []) : [];
        return [
          location.href,
          document.cookie,
          document.referrer,
          window.name,
          JSON.stringify(history.state),
          JSON.stringify(databases),
          JSON.stringify(caches),
          ...storages,
        ];
      }),
    ),
  );
  return all.flat();
}

/** Finds parts of the card: as typed, with spaces, encoded or reversed. */
function traces(...texts: string[][]): string[] {
  const { number } = card;
  const forms = [
    number,
    number.replace(/(\d{4})(?=\d)/g, "$1 "),
    number.replace(/(\d{4})(?=\d)/g, "$1-"),
    number.replace(/(\d{4})(?=\d)/g, "$1%20"),
    number.split("").toReversed().join(""),
    Buffer.from(number).toString("base64").slice(0, 20),
    Buffer.from(number).toString("hex"),
  ];
  const all = texts.flat().join("\n");
  const found = forms.filter((form) => all.includes(form));
  // Three digits alone can occur by chance, so a name must precede them.
  if (/cvc\W{1,4}739/i.test(all)) found.push("CVC");
  return found;
}
