/**
 * Every state of the checkout and how a customer reaches it. Elements are found by test ID and not by text, so that
 * each state works in every language. Those without a test ID are only named in `parts`.
 */
import { expect, type Page, type Route } from "@playwright/test";
import { sharedTestCards, threeDSecureCards } from "@oriel/protocol/test-cards";
import { bankPage, cards, clickInFrame, pressPay, type CheckoutForm } from "../checkout.ts";
import { expectReady } from "../hosts/host-checkout.ts";
import { expireSession, oriel } from "../hosts/sessions.ts";
import { addresses } from "../urls.ts";
import { openCheckoutPage, type Layout, type OpenCheckoutPage, type FormOptions } from "./open-checkout.ts";

export interface State {
  name: string;
  /** The only layout that has this state. Absent: both have it. */
  only?: Layout;
  /** Whether the iframe ignores updates from the host page. */
  ignoresUpdates?: true;
  options?: FormOptions;
  /** Runs before the checkout is opened. */
  prepare?(page: Page): Promise<unknown>;
  /** Brings the opened checkout into the state. */
  reach(open: OpenCheckoutPage): Promise<unknown>;
}

export const parts = {
  number: (form: CheckoutForm) => form.getByTestId("oriel-number"),
  expiry: (form: CheckoutForm) => form.getByTestId("oriel-expiry"),
  cvc: (form: CheckoutForm) => form.getByTestId("oriel-cvc"),
  pay: (form: CheckoutForm) => form.getByTestId("oriel-pay"),
  result: (form: CheckoutForm) => form.getByTestId("oriel-result"),
  notice: (form: CheckoutForm) => form.locator("#notice"),
  code: (form: CheckoutForm) => form.getByTestId("oriel-promotion-code"),
  networks: (form: CheckoutForm) => form.locator("#form").getByRole("radio"),
  testPanel: (form: CheckoutForm) => form.locator("#test > summary"),
  testSearch: (form: CheckoutForm) => form.locator("#test").getByRole("searchbox"),
  /** Our own heading above the bank's page. */
  bankHeading: (form: CheckoutForm) => form.locator("#bank h2"),
  bankButtons: (form: CheckoutForm) => form.locator("#bank").getByRole("button"),
  /** The confirmation that appears if the iframe may be hidden. */
  confirm: (form: CheckoutForm) => form.getByTestId("oriel-once-more-pay"),
};

export const states: readonly State[] = [
  { name: "form", reach: ({ form }) => expectReady(form) },
  {
    name: "errors",
    async reach({ form }) {
      await expectReady(form);
      await clickInFrame(parts.pay(form));
      for (const field of ["number", "expiry", "cvc"] as const) {
        await expect(parts[field](form)).toHaveAttribute("aria-invalid", "true");
      }
    },
  },
  {
    name: "network choice",
    async reach({ form }) {
      await expectReady(form);
      await parts.number(form).pressSequentially(sharedTestCards.cartes_bancaires_visa.slice(0, 8));
      await expect(parts.networks(form)).toHaveCount(2);
    },
  },
  {
    name: "choices",
    options: {
      session: {
        amount: 5390,
        shipping_options: [
          { id: "post", name: "Post, 2 to 3 days", amount: 490 },
          { id: "pickup", name: "Pick up in the shop on Kiln Street, from 9 to 5", amount: 0 },
        ],
        collect: { promotion_code: true },
      },
    },
    async reach({ form, sessionId }) {
      await expectReady(form);
      await parts.code(form).fill("SPRING");
      await clickInFrame(form.getByTestId("oriel-apply-code"));
      const reject = { field: "promotion_code", reason: "invalid" } as const;
      const reply = { reject, if_promotion_code: "SPRING" };
      await expect(async () => await oriel().checkoutSessions.update(sessionId, reply)).toPass();
      await expect(parts.code(form)).toHaveAttribute("aria-invalid", "true");
    },
  },
  {
    name: "order that costs nothing",
    options: { session: { amount: 0, line_items: [{ name: "Sample", amount: 0, quantity: 1 }] } },
    async reach({ form }) {
      await expectReady(form);
      await expect(parts.number(form)).toBeHidden();
    },
  },
  {
    name: "test panel open",
    async reach({ form }) {
      await expectReady(form);
      await clickInFrame(parts.testPanel(form));
      await expect(parts.testSearch(form)).toBeVisible();
    },
  },
  {
    name: "submitting",
    prepare: (page) => page.route(paying, () => {}), // leaves the request without a response
    async reach({ form }) {
      await payWith(form, cards.approved.number);
      await expect(parts.pay(form)).toHaveAttribute("aria-disabled", "true");
    },
  },
  { name: "challenge", reach: (open) => reachChallenge(open) },
  {
    name: "cancel question",
    async reach(open) {
      await reachChallenge(open);
      await clickInFrame(parts.bankButtons(open.form).first());
      await expect(parts.bankButtons(open.form)).toHaveCount(2);
    },
  },
  {
    name: "decoupled",
    async reach({ form }) {
      await payWith(form, threeDSecureCards.decoupled[0]);
      await expect(parts.bankHeading(form)).toBeVisible();
      await expect(parts.bankHeading(form)).toBeFocused();
    },
  },
  {
    name: "declined",
    async reach({ form }) {
      await payWith(form, cards.declined.number);
      await expect(parts.notice(form)).toBeVisible();
      await expect(parts.notice(form)).not.toBeEmpty();
    },
  },
  {
    name: "processing",
    prepare: (page) => page.route(`${addresses.checkout}/frame/payments**`, stillProcessing),
    async reach({ form }) {
      await payWith(form, cards.approved.number);
      await expectResult(form);
    },
  },
  {
    name: "succeeded",
    async reach({ form }) {
      await payWith(form, cards.approved.number);
      await expectResult(form);
    },
  },
  { name: "expired", options: { before: expireSession }, reach: ({ form }) => expectResult(form) },
  {
    name: "canceled",
    options: { before: (id) => oriel().checkoutSessions.cancel(id) },
    reach: ({ form }) => expectResult(form),
  },
  {
    name: "unavailable",
    ignoresUpdates: true,
    prepare: (page) => page.route(`${addresses.checkout}/frame/sessions/*/open`, (route) => route.abort()),
    reach: ({ form }) => expectResult(form),
  },
  {
    name: "opened without its secret",
    only: "full page",
    options: { withoutSecret: true },
    reach: ({ form }) => expectResult(form),
  },
  {
    name: "confirm panel",
    only: "inline",
    async reach({ page, form }) {
      await expectReady(form);
      await page.evaluate(() => {
        const overlay = document.createElement("div");
        overlay.style.cssText = "position: fixed; inset: 0; background: rgb(128 128 128 / 0.01); pointer-events: none";
        document.body.append(overlay);
      });
      await fillForm(form, cards.approved.number);
      await clickInFrame(parts.pay(form));
      await expect(parts.confirm(form)).toBeEnabled();
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
    const body = (await response.json()) as { payment: { id: string } }; // from our own service
    await route.fulfill({ response, json: { ...body, payment: { id: body.payment.id, status: "processing" } } });
  } catch {
    // The page polls until the test ends and then gets no response. A failure during the test would be noticed, because
    // the page wouldn't show this state.
  }
}

async function expectResult(form: CheckoutForm): Promise<void> {
  await expect(parts.result(form)).toBeVisible({ timeout: 20_000 });
  await expect(parts.result(form)).not.toBeEmpty();
}

async function payWith(form: CheckoutForm, number: string): Promise<void> {
  await fillForm(form, number);
  await pressPay(form);
}

async function fillForm(form: CheckoutForm, number: string): Promise<void> {
  await expectReady(form);
  await parts.number(form).pressSequentially(number);
  await parts.expiry(form).pressSequentially(cards.approved.expiry);
  await parts.cvc(form).pressSequentially(cards.approved.cvc);
}

/** Waits until the bank's page asks for its code. */
async function reachChallenge({ page, form }: OpenCheckoutPage): Promise<void> {
  await payWith(form, cards.challenge.number);
  await expect((await bankPage(page)).getByRole("textbox")).toBeVisible();
  await expect(parts.bankButtons(form).first()).toBeVisible();
}
