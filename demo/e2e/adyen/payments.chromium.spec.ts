/**
 * What a customer sees of a payment through Adyen (a simulator), on a phone and on a wide page: with and without 3-D
 * Secure, declined, abandoned, and with an outcome that only a late notification has. In each case the merchant's
 * server gets one webhook about each charge that has ended, which says the same as the API, our ledger and Adyen's, and
 * the bank's pages are only where they belong.
 */
import { randomInt } from "node:crypto";
import { expect, test, type FrameLocator, type Page } from "@playwright/test";
import type { DeclineCode } from "@oriel/protocol/declines";
import { testCards, threeDSecureCards } from "@oriel/protocol/test-cards";
import { completeChallenge, bankPage, cardOf, pay } from "../checkout.ts";
import { formIn } from "../hosts/host-checkout.ts";
import { appPage, pageAddress } from "../hosts/host-page.ts";
import { cancelHere } from "../three-d-secure/at-the-bank.ts";
import { addresses } from "../urls.ts";
import { startAdyenMerchant, type AdyenMerchant } from "./adyen-merchant.ts";
import { watchFrames, type WatchedFrames } from "./watch-frames.ts";

// In one process, because each needs an operator's sign-in, and faults are the simulator's.
test.describe.configure({ mode: "default" });

let merchant: AdyenMerchant;
test.beforeAll(async ({ browser }) => {
  merchant = await startAdyenMerchant(browser);
  await merchant.simulator.setDelays({ outcomeMs: 50, notificationMs: 50 });
});
test.afterEach(async () => {
  merchant.simulator.holdsNotifications = false;
  await merchant.simulator.clearFaults();
});
test.afterAll(() => merchant.close());

const plain = threeDSecureCards.not_enrolled[0];
const challenge = threeDSecureCards.challenge[0];
const enterCode = (code: string) => (page: Page) => completeChallenge(page, code, merchant.simulator.origin);

interface Case {
  what: string;
  number: string;
  /** What the customer does on the bank's page. */
  does?: (page: Page) => Promise<void>;
  /** The decline code, and what the customer reads. Null: paid. */
  declined: [DeclineCode, RegExp] | null;
  /** How many authorizations Adyen gets. */
  authorizations: number;
  hasBankPages: boolean;
}

const cases: Case[] = [
  { what: "without 3-D Secure", number: plain, declined: null, authorizations: 1, hasBankPages: false },
  {
    what: "with frictionless 3-D Secure",
    number: threeDSecureCards.frictionless[0],
    declined: null,
    authorizations: 1,
    hasBankPages: true, // the 3DS Method's
  },
  {
    what: "with a passed challenge",
    number: challenge,
    does: enterCode("111111"),
    declined: null,
    authorizations: 1,
    hasBankPages: true,
  },
  {
    what: "with a failed challenge",
    number: challenge,
    does: enterCode("222222"),
    declined: ["authentication_failed", /could not confirm that it’s you/],
    authorizations: 0,
    hasBankPages: true,
  },
  {
    what: "that is declined",
    number: testCards.insufficient_funds,
    declined: ["insufficient_funds", /insufficient funds/],
    authorizations: 1,
    hasBankPages: false,
  },
];

for (const width of [360, 1280]) {
  test.describe(`on a page that is ${width} px wide, a payment`, () => {
    test.use({ viewport: { width, height: 800 } });

    for (const { what, number, does, declined, authorizations, hasBankPages } of cases) {
      test(what, async ({ page }) => {
        const checkout = await openCheckout(page);
        await pay(checkout.form, cardOf(number));
        await does?.(page);
        if (declined === null) await expectComplete(checkout);
        else await expectDeclined(checkout, declined[1]);
        await expectReported(checkout, [declined?.[0] ?? "paid"], authorizations);
        expectBankPages(checkout, hasBankPages);
        await expectNoOverflow(page);
      });
    }

    test("that the customer leaves during the challenge isn't charged, can be canceled, and can be paid again", async ({
      page,
      context,
    }) => {
      const checkout = await openCheckout(page);
      await pay(checkout.form, cardOf(challenge));
      await bankPage(page, merchant.simulator.origin);
      expectBankPages(checkout, true);
      await page.close();
      await expect(merchant.oriel.checkoutSessions.expire(checkout.sessionId)).rejects.toMatchObject({
        code: "session_payment_in_progress",
      });
      await expectReported(checkout, [], 0);

      const again = { ...checkout, ...(await showCheckout(await context.newPage(), checkout.address)) };
      await bankPage(again.page, merchant.simulator.origin);
      await cancelHere(again.form);
      await expectDeclined(again, /You canceled/);
      await expectReported(again, ["authentication_canceled"], 0);

      await pay(again.form, cardOf(plain));
      await expectComplete(again);
      await expectReported(again, ["authentication_canceled", "paid"], 1);
      expectBankPages(again, true);
    });

    test("whose outcome is unknown is shown as such, and as complete once the notification has arrived", async ({
      page,
    }) => {
      merchant.simulator.holdsNotifications = true;
      await merchant.simulator.addFault({ match: { kind: "authorization" }, fault: "error_after" });
      const checkout = await openCheckout(page);
      await pay(checkout.form, cardOf(plain));
      await expect(checkout.form.getByRole("heading", { name: "Still confirming" })).toBeVisible();
      await expect(checkout.form.locator("main")).toContainText("Do not pay again");
      await expectNoOverflow(page);
      expect(await statusesOf(checkout)).toEqual(["processing"]);
      expect(merchant.receivedAbout(checkout.sessionId)).toEqual([]);

      merchant.simulator.holdsNotifications = false; // all responses are still lost
      await expectComplete(checkout);
      await expectReported(checkout, ["paid"], 1);
      expectBankPages(checkout, false);
    });
  });
}

// --- helpers

interface Checkout {
  page: Page;
  form: FrameLocator;
  frames: WatchedFrames;
  /** The merchant's page. */
  address: string;
  sessionId: string;
  /** Unique among the tests. */
  amount: number;
}

async function openCheckout(page: Page): Promise<Checkout> {
  const amount = randomInt(10_000, 5_000_000);
  const { session, embed_url: embedUrl } = await merchant.oriel.checkoutSessions.create({
    amount,
    currency: "eur",
    allowed_origins: [addresses.hosts],
  });
  const address = await pageAddress(appPage("esm", { embedUrl, locale: "en" }));
  return { ...(await showCheckout(page, address)), address, sessionId: session.id, amount };
}

async function showCheckout(page: Page, address: string): Promise<Pick<Checkout, "page" | "form" | "frames">> {
  const frames = watchFrames(page);
  await page.goto(address);
  return { page, form: formIn(page), frames };
}

async function expectComplete({ form }: Checkout): Promise<void> {
  await expect(form.getByTestId("oriel-result")).toContainText("Payment complete");
}

async function expectDeclined({ form }: Checkout, reason: RegExp): Promise<void> {
  const notice = form.locator("#notice");
  await expect(notice).toContainText(reason);
  await expect(notice).toContainText("You have not been charged.");
  await expect(form.getByTestId("oriel-pay")).toBeEnabled();
}

/**
 * Compares what the merchant's server received with the API, our ledger and Adyen's.
 * @param ends of the session's charges, oldest first: `paid` or a decline code
 * @param authorizations how many Adyen has, each of which is captured if it's approved
 */
async function expectReported(checkout: Checkout, ends: string[], authorizations: number): Promise<void> {
  const { sessionId, amount } = checkout;
  const received = () => merchant.receivedAbout(sessionId);
  await expect
    .poll(() => received().map(({ type, charge }) => [type, charge.failure?.decline_code ?? "paid"]), "webhooks")
    .toEqual(ends.map((end) => [end === "paid" ? "payment.succeeded" : "payment_failed", end]));
  const charges = received().map(({ charge }) => charge);
  for (const { id, status, amount_captured } of charges) {
    expect(await merchant.oriel.charges.retrieve(id)).toMatchObject({ status, amount_captured });
    const { data } = await merchant.oriel.ledgerEntries.list({ charge_id: id });
    expect(sumOf(data.map((entry) => entry.amount))).toBe(amount_captured);
  }
  const session = await merchant.oriel.checkoutSessions.retrieve(sessionId);
  expect(session.payment_status).toBe(ends.includes("paid") ? "paid" : "unpaid");

  const payments = (await merchant.simulator.payments()).filter((payment) => payment.amount.value === amount);
  expect(payments, "authorizations at Adyen").toHaveLength(authorizations);
  const entries = payments.flatMap((payment) => payment.entries);
  const balanceOf = (account: string) =>
    sumOf(entries.filter((entry) => entry.account === account).map(({ value }) => value));
  expect(balanceOf("merchant"), "captured at Adyen").toBe(sumOf(charges.map((charge) => charge.amount_captured)));
  expect(balanceOf("reserved"), "reserved at Adyen").toBe(0);
}

async function statusesOf({ sessionId }: Checkout): Promise<string[]> {
  const { data } = await merchant.oriel.charges.list({ session_id: sessionId });
  return data.map(({ status }) => status);
}

/** Expects that the bank's pages were only in the iframe of our runner, and no page of anybody else was anywhere. */
function expectBankPages({ frames }: Checkout, hasBankPages: boolean): void {
  const { hosts, checkout } = addresses;
  const form = `${hosts} > ${checkout}`;
  const bank = `${form} > ${checkout} > ${merchant.simulator.origin}`;
  const ours = [hosts, form, `${form} > ${checkout}`, `${form} > ${checkout} > ${checkout}`];
  expect(frames.paths().filter((path) => !ours.includes(path))).toEqual(hasBankPages ? [bank] : []);
  expect(frames.otherWindows()).toBe(0);
}

async function expectNoOverflow(page: Page): Promise<void> {
  const overflow = () => document.documentElement.scrollWidth - innerWidth;
  expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
  for (const frame of page.frames()) expect(await frame.evaluate(overflow)).toBeLessThanOrEqual(0);
}

function sumOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
