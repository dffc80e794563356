/** What an account's own acquirer learns about a payment and its customer. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { acquirerFor } from "../src/merchants/accounts/live-mode.ts";
import { startAdyenWorld } from "./setup/adyen-outcomes.ts";
import { cardNumbers, payAndAuthenticate } from "./setup/customer.ts";
import { order } from "./setup/merchant.ts";

const world = await openForTests(startAdyenWorld());
afterEach(() => void vi.restoreAllMocks());

/** Records what is sent from now on. */
async function watch() {
  const { service, merchant, acquirerAccountId } = world;
  const acquirer = await acquirerFor(service.context, merchant.tenant, acquirerAccountId);
  if (acquirer === null) throw new Error("The acquirer can't be used");
  const sent = vi.spyOn(acquirer, "authorize");
  return () => sent.mock.lastCall?.[1];
}

const known = { email: "ann@shop.example", name: "Ann Shop", reference: "customer-7" };

describe("an authorization", () => {
  it("says what the customer entered and what the merchant knows about them", async () => {
    const sent = await watch();
    const checkout = await world.merchant.checkout({ customer: known });
    await checkout.pay(cardNumbers.approved, { name: "Ann Card", email: "ann@card.example" });
    expect(sent()).toMatchObject({
      isRepeated: false,
      cardholderName: "Ann Card",
      customer: { id: "customer-7", email: "ann@card.example" },
      usage: { kind: "once" },
    });
  });

  it("uses what the merchant knows if the customer entered nothing, and says nothing else", async () => {
    const sent = await watch();
    await (await world.merchant.checkout({ customer: known })).pay(cardNumbers.approved);
    expect(sent()).toMatchObject({ cardholderName: "Ann Shop", customer: { email: "ann@shop.example" } });
    await (await world.merchant.checkout()).pay(cardNumbers.approved);
    expect(sent()).not.toHaveProperty("cardholderName");
    expect(sent()).toMatchObject({ customer: {} });
  });

  it("has the IP address of a customer who was authenticated", async () => {
    const sent = await watch();
    await payAndAuthenticate(await world.merchant.checkout(), cardNumbers.frictionless);
    expect(sent()).toMatchObject({ customer: { ip: "127.0.0.1" }, proof: { authenticationStatus: "Y" } });
  });

  it("of a saved card has the network's ID of the payment that saved it", async () => {
    const sent = await watch();
    const checkout = await world.merchant.checkout({ save_payment_method: true });
    await checkout.pay(cardNumbers.approved);
    expect(sent()).toMatchObject({ usage: { kind: "store" } });
    const { id, payment_method_id } = await world.merchant.chargeOf(checkout);
    const { network_transaction_id: networkId } = await world.attempt(String(id), "authorize");
    expect(networkId).toMatch(/^[A-Z]{15}$/);

    const charge = await world.merchant.charge(String(payment_method_id));
    expect(charge).toMatchObject({ status: 200, body: { status: "succeeded", amount: order.amount } });
    expect(sent()).toMatchObject({ usage: { kind: "stored_by_merchant", firstNetworkTransactionId: networkId } });
    expect(sent()).toMatchObject({ customer: {} });
  });

  it("of a test payment method has none", async () => {
    const sent = await watch();
    await world.merchant.charge("pm_card_visa");
    expect(sent()).toMatchObject({ usage: { kind: "stored_by_merchant", firstNetworkTransactionId: null } });
  });
});
