/**
 * Every state of the checkout and how a customer reaches it. Elements are found by test ID and not by text, so that
 * each state works in every language. Those without a test ID are only named in `parts`.
 */
import { expect, type Page, type Route } from "@playwright/test";
import { sharedTestCards, threeDSecureCards } from "@oriel/protocol/test-cards";
import { bankPage, cards, clickInFrame, pressPay, type Till } from "../checkout.ts";
import { expectReady } from "../hosts/host-checkout.ts";
import { expireSession, oriel } from "../hosts/sessions.ts";
import { addresses } from "../urls.ts";
import { openCheckoutPage, type Layout, type OpenCheckoutPage, type TillOptions } from "./open-checkout.ts";

export interface State {
  name: string;
  /** The only layout that has this state. Absent: both have it. */
  only?: Layout;
  /** Whether the iframe ignores updates from the host page. */
  ignoresUpdates?: true;
  options?: TillOptions;
  /** Runs before the checkout is opened. */
  prepare?(page: Page): Promise<unknown>;
  /** Brings the opened checkout into the state. */
  reach(open: OpenCheckoutPage): Promise<unknown>;
}

export const parts = {
  number: (till: Till) => till.getByTestId("oriel-number"),
  expiry: (till: Till) => till.getByTestId("oriel-expiry"),
  cvc: (till: Till) => till.getByTestId("oriel-cvc"),
  pay: (till: Till) => till.getByTestId("oriel-pay"),
  result: (till: Till) => till.getByTestId("oriel-result"),
  notice: (till: Till) => till.locator("#notice"),
  networks: (till: Till) => till.locator("#form").getByRole("radio"),
  testPanel: (till: Till) => till.locator("#test > summary"),
  testSearch: (till: Till) => till.locator("#test").getByRole("searchbox"),
  /** Our own heading above the bank's page. */
  bankHeading: (till: Till) => till.locator("#bank h2"),
  bankButtons: (till: Till) => till.locator("#bank").getByRole("button"),
  /** The confirmation that appears if the iframe may be hidden. */
  confirm: (till: Till) => till.getByTestId("oriel-once-more-pay"),
};

export const states: readonly State[] = [
  { name: "form", reach: ({ till }) => expectReady(till) },
  {
    name: "errors",
    async reach({ till }) {
      await expectReady(till);
      await clickInFrame(parts.pay(till));
      for (const field of ["number", "expiry", "cvc"] as const) {
        await expect(parts[field](till)).toHaveAttribute("aria-invalid", "true");
      }
    },
  },
  {
    name: "network choice",
    async reach({ till }) {
      await expectReady(till);
      await parts.number(till).pressSequentially(sharedTestCards.cartes_bancaires_visa.slice(0, 8));
      await expect(parts.networks(till)).toHaveCount(2);
    },
  },
  {
    name: "test panel open",
    async reach({ till }) {
      await expectReady(till);
      await clickInFrame(parts.testPanel(till));
      await expect(parts.testSearch(till)).toBeVisible();
    },
  },
  {
    name: "submitting",
    prepare: (page) => page.route(paying, () => {}), // leaves the request without a response
    async reach({ till }) {
      await payWith(till, cards.approved.number);
      await expect(parts.pay(till)).toHaveAttribute("aria-disabled", "true");
    },
  },
  { name: "challenge", reach: (open) => reachChallenge(open) },
  {
    name: "cancel question",
    async reach(open) {
      await reachChallenge(open);
      await clickInFrame(parts.bankButtons(open.till).first());
      await expect(parts.bankButtons(open.till)).toHaveCount(2);
    },
  },
  {
    name: "decoupled",
    async reach({ till }) {
      await payWith(till, threeDSecureCards.decoupled[0]);
      await expect(parts.bankHeading(till)).toBeVisible();
      await expect(parts.bankHeading(till)).toBeFocused();
    },
  },
  {
    name: "declined",
    async reach({ till }) {
      await payWith(till, cards.declined.number);
      await expect(parts.notice(till)).toBeVisible();
      await expect(parts.notice(till)).not.toBeEmpty();
    },
  },
  {
    name: "processing",
    prepare: (page) => page.route(`${addresses.checkout}/frame/payments**`, stillProcessing),
    async reach({ till }) {
      await payWith(till, cards.approved.number);
      await expectResult(till);
    },
  },
  {
    name: "succeeded",
    async reach({ till }) {
      await payWith(till, cards.approved.number);
      await expectResult(till);
    },
  },
  { name: "expired", options: { before: expireSession }, reach: ({ till }) => expectResult(till) },
  {
    name: "canceled",
    options: { before: (id) => oriel().checkoutSessions.cancel(id) },
    reach: ({ till }) => expectResult(till),
  },
  {
    name: "unavailable",
    ignoresUpdates: true,
    prepare: (page) => page.route(`${addresses.checkout}/frame/sessions/*/open`, (route) => route.abort()),
    reach: ({ till }) => expectResult(till),
  },
  {
    name: "opened without its secret",
    only: "full page",
    options: { withoutSecret: true },
    reach: ({ till }) => expectResult(till),
  },
  {
    name: "confirm panel",
    only: "inline",
    async reach({ page, till }) {
      await expectReady(till);
      await page.evaluate(() => {
        const veil = document.createElement("div");
        veil.style.cssText = "position: fixed; inset: 0; background: rgb(128 128 128 / 0.01); pointer-events: none";
        document.body.append(veil);
      });
      await fillForm(till, cards.approved.number);
      await clickInFrame(parts.pay(till));
      await expect(parts.confirm(till)).toBeEnabled();
    },
  },
];

/** The states that exist in this layout. */
export function statesIn(layout: Layout): State[] {
  return states.filter(({ only = layout }) => only === layout);
}

export async function openIn(page: Page, state: State, layout: Layout): Promise<OpenCheckoutPage> {
  await state.prepare?.(page);
  const open = await openCheckoutPage(page, layout, state.options);
  await state.reach(open);
  return open;
}

const paying = `${addresses.checkout}/frame/payments`;

/**
 * Reports that the payment is still processing, as if the bank never responded. The requests come from Node, which
 * doesn't resolve the host name that browsers use.
 */
async function stillProcessing(route: Route): Promise<void> {
  const url = route.request().url().replace(addresses.checkout, addresses.api);
  const headers = { ...route.request().headers(), host: new URL(addresses.checkout).host };
  try {
    const response = await route.fetch({ url, headers });
    const answer = (await response.json()) as { payment: { id: string } }; // from our own service
    await route.fulfill({ response, json: { ...answer, payment: { id: answer.payment.id, status: "processing" } } });
  } catch {
    // The page polls until the test ends and then gets no response. A failure during the test would be noticed, because
    // the page wouldn't show this state.
  }
}

async function expectResult(till: Till): Promise<void> {
  await expect(parts.result(till)).toBeVisible({ timeout: 20_000 });
  await expect(parts.result(till)).not.toBeEmpty();
}

async function payWith(till: Till, number: string): Promise<void> {
  await fillForm(till, number);
  await pressPay(till);
}

async function fillForm(till: Till, number: string): Promise<void> {
  await expectReady(till);
  await parts.number(till).pressSequentially(number);
  await parts.expiry(till).pressSequentially(cards.approved.expiry);
  await parts.cvc(till).pressSequentially(cards.approved.cvc);
}

/** Waits until the bank's page asks for its code. */
async function reachChallenge({ page, till }: OpenCheckoutPage): Promise<void> {
  await payWith(till, cards.challenge.number);
  await expect((await bankPage(page)).getByRole("textbox")).toBeVisible();
  await expect(parts.bankButtons(till).first()).toBeVisible();
}
