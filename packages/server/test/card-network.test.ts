/**
 * Tests co-badged cards: the customer's choice of network reaches the merchant and the acquirer, for this payment and
 * for later ones.
 */
import { describe, expect, it } from "vitest";
import { sharedTestCards } from "@oriel/protocol/test-cards";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { ledgerOf } from "./setup/bank-ledger.ts";
import type { Checkout } from "./setup/customer.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService, type Json } from "./setup/test-service.ts";

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);

const shared = sharedTestCards.cartes_bancaires_visa;

async function payVia(checkout: Checkout, network?: unknown) {
  return await checkout.pay(await checkout.encrypt(shared, { claims: network === undefined ? {} : { network } }));
}

async function methodOf({ sessionId }: Checkout): Promise<Json> {
  const { id } = await service.context.db
    .selectFrom("payment_method")
    .select("id")
    .where("session_id", "=", sessionId)
    .executeTakeFirstOrThrow();
  return await merchant.read(`payment_methods/${id}`);
}

async function networksAtBank(decisionId: string): Promise<unknown[]> {
  const { authorizations } = await ledgerOf(service, decisionId);
  return authorizations.map(({ network }) => network);
}

describe("the network of a co-badged card", () => {
  it.each(["visa", "cartes_bancaires"])(
    "is the one the customer chose: %s is shown and sent to the acquirer",
    async (network) => {
      const checkout = await merchant.checkout();
      const { payment } = (await payVia(checkout, network)).body;
      expect(payment).toMatchObject({ status: "succeeded" });
      expect(await methodOf(checkout)).toMatchObject({ brand: "visa", network });
      expect(await networksAtBank(String(payment?.["id"]))).toEqual([network]);
    },
  );

  it("is null, and isn't sent to the acquirer, if the customer didn't choose one", async () => {
    const checkout = await merchant.checkout();
    const { payment } = (await payVia(checkout)).body;
    expect(payment).toMatchObject({ status: "succeeded" });
    expect(await methodOf(checkout)).toMatchObject({ brand: "visa", network: null });
    expect(await networksAtBank(String(payment?.["id"]))).toEqual([undefined]);
  });

  it("is used when a card is saved and when it is charged later", async () => {
    const checkout = await merchant.checkout({ mode: "setup", amount: undefined, currency: undefined });
    const { payment } = (await payVia(checkout, "cartes_bancaires")).body;
    expect(payment).toMatchObject({ status: "succeeded" });
    expect(await networksAtBank(String(payment?.["id"]))).toEqual(["cartes_bancaires"]);

    const { id: payment_method_id } = await methodOf(checkout);
    const { id: decision_id } = await merchant.decide(String(payment_method_id));
    const request = { amount: 4900, currency: "eur", payment_method_id, decision_id };
    const charged = await merchant.call("POST", "/api/v1/charges", request);
    expect(charged.body).toMatchObject({ status: "succeeded" });
    expect(await networksAtBank(String(decision_id))).toEqual(["cartes_bancaires"]);
  });

  it.each(["amex", "VISA", "", null, 1, ["visa"]])(
    "is refused when it is %j, and nothing is stored",
    async (network) => {
      const checkout = await merchant.checkout();
      expectError(await payVia(checkout, network), invalid("card_message_invalid", "card"));
      expect(await checkout.session()).toMatchObject({ attempts_left: 5, payment_status: "unpaid" });
      const stored = service.context.db
        .selectFrom("payment_method")
        .select("id")
        .where("session_id", "=", checkout.sessionId);
      expect(await stored.execute()).toEqual([]);
    },
  );
});
