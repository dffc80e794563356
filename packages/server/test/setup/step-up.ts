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
  /** The payment as the customer's page sees it after the decline. */
  payment: Json;
}

/** The results of a payment whose step-up succeeded: its charge, its event, and the requests to the bank. */
export const paid = { charges: ["succeeded"], events: ["payment.succeeded 1 succeeded"] };
export const both = ["declined, authenticated 1", "approved, authenticated 1"];

/** @param there returns values that exist only once a test runs */
export function steppingUp(there: () => { service: TestService; merchant: Merchant }) {
  return { payAndBeDeclined, payUpToSecondChallenge, charged, authorizations };

  /**
   * Pays, up to the bank's decline.
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

  /** Pays, up to the challenge that follows the bank's decline. */
  async function payUpToSecondChallenge(more: object = {}): Promise<SteppedUp> {
    const { checkout, id } = await payAndBeDeclined(true, more);
    return { checkout, id, payment: (await checkout.authenticate(id)).body["payment"] ?? {} };
  }

  /** The session's charges with status and decline code, and the events about them. */
  async function charged({ sessionId }: Checkout): Promise<{ charges: string[]; events: string[] }> {
    const { merchant } = there();
    const charges = await merchant.list(`charges?session_id=${sessionId}`);
    const events = await Promise.all(charges.map(({ id }) => merchant.events(String(id))));
    return {
      charges: charges.map(({ status, failure }) => `${status}${failure ? ` ${failure["decline_code"]}` : ""}`),
      events: summarize(events.flat()),
    };
  }

  /** The authorizations in the bank's records, oldest first, each with the number of requests for it. */
  async function authorizations(id: string): Promise<string[]> {
    return (await ledgerOf(there().service, id)).authorizations.map(
      ({ status, authenticated, requests }) => `${status}${authenticated ? ", authenticated" : ""} ${requests}`,
    );
  }
}
