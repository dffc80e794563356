/** A payment that is declined because it lacks authentication, and its result. */
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { runMethod } from "./at-the-bank.ts";
import { ledgerOf } from "./bank-ledger.ts";
import type { Checkout } from "./customer.ts";
import { summarize, type Merchant } from "./merchant.ts";
import type { Json, TestService } from "./test-service.ts";

export const softCard = threeDSecureCards.soft_decline[0];

export const right = { code: "111111" };

export interface SteppedUp {
  checkout: Checkout;
  id: string;
  /** As the customer sees it after the decline. */
  payment: Json;
}

/** For a payment that was stepped up and passed: its charge, its event, and the requests to the bank. */
export const paid = { charges: ["succeeded"], told: ["payment.succeeded 1 succeeded"] };
export const both = ["declined, authenticated 1", "approved, authenticated 1"];

/** @param there what a test has only once it runs */
export function steppingUp(there: () => { service: TestService; merchant: Merchant }) {
  return { payAndBeDeclined, payUpToSecondChallenge, charged, authorizations };

  /**
   * Continues up to the bank's decline.
   * @param withMethod runs the 3DS Method in the browser
   */
  async function payAndBeDeclined(withMethod = false, more: object = {}, card: string = softCard): Promise<SteppedUp> {
    const { service, merchant } = there();
    const checkout = await merchant.checkout(more);
    const started = (await checkout.pay(card)).body["payment"] ?? {};
    const id = String(started["id"]);
    if (withMethod) await runMethod(service, started);
    return { checkout, id, payment: (await checkout.authenticate(id)).body["payment"] ?? {} };
  }

  /** Continues from there to the bank's page. */
  async function payUpToSecondChallenge(more: object = {}): Promise<SteppedUp> {
    const { checkout, id } = await payAndBeDeclined(true, more);
    return { checkout, id, payment: (await checkout.authenticate(id)).body["payment"] ?? {} };
  }

  /** The status of the session's charges, the reasons, and the events about them. */
  async function charged({ sessionId }: Checkout): Promise<{ charges: string[]; told: string[] }> {
    const { merchant } = there();
    const charges = await merchant.list(`charges?session_id=${sessionId}`);
    const events = await Promise.all(charges.map(({ id }) => merchant.events(String(id))));
    return {
      charges: charges.map(({ status, failure }) => `${status}${failure ? ` ${failure["decline_code"]}` : ""}`),
      told: summarize(events.flat()),
    };
  }

  /** The requests to the bank, oldest first, with their number. */
  async function authorizations(id: string): Promise<string[]> {
    return (await ledgerOf(there().service, id)).authorizations.map(
      ({ status, authenticated, requests }) => `${status}${authenticated ? ", authenticated" : ""} ${requests}`,
    );
  }
}
