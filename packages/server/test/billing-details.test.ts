/** Tests billing details: who can see them, which of them the acquirer receives and how long they are kept. */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { sweep } from "../src/worker.ts";
import { bankAuthentications } from "./setup/at-the-bank.ts";
import { cardNumbers, openCheckout, type Checkout } from "./setup/customer.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService, type Json } from "./setup/test-service.ts";

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);

const ada = { name: "Ada Vance", email: "ada@customer.example", postal_code: "04109", country: "DE" };
const setup = { mode: "setup", amount: undefined, currency: undefined };

async function methodOf({ sessionId }: Checkout): Promise<Json> {
  const { id } = await service.context.db
    .selectFrom("payment_method")
    .select("id")
    .where("session_id", "=", sessionId)
    .executeTakeFirstOrThrow();
  return await merchant.read(`payment_methods/${id}`);
}

describe("billing details", () => {
  it("are returned with the payment method for as long as its card is kept", async () => {
    const checkout = await merchant.checkout(setup);
    expect((await checkout.pay(cardNumbers.approved, ada)).body["payment"]).toMatchObject({ status: "succeeded" });
    const saved = await methodOf(checkout);
    expect(saved).toMatchObject({ billing_details: ada, reusable: true });
    await sweep(service.context);
    expect(await methodOf(checkout)).toEqual(saved);

    await merchant.call("POST", `/api/v1/payment_methods/${saved["id"]}/detach`, {});
    await sweep(service.context);
    expect(await methodOf(checkout)).toMatchObject({ billing_details: null, reusable: false });
  });

  it("are returned during the payment and deleted with the card if the card isn't saved", async () => {
    const checkout = await merchant.checkout({ confirmation: "server" });
    const { payment } = (await checkout.pay(cardNumbers.approved, ada)).body;
    expect(await methodOf(checkout)).toMatchObject({ billing_details: ada });
    const request = { payment_method_id: payment?.["payment_method_id"], decision_id: payment?.["id"] };
    const charged = await merchant.call("POST", "/api/v1/charges", { amount: 4900, currency: "eur", ...request });
    expect(charged.body).toMatchObject({ status: "succeeded" });
    await sweep(service.context);
    expect(await methodOf(checkout)).toMatchObject({ billing_details: null });
  });

  it("are deleted when the card is declined and remain in no table, log or webhook", async () => {
    const checkout = await merchant.checkout();
    const details = { name: "Grace Unmistakable", email: "grace@unmistakable.example" };
    expect((await checkout.pay(cardNumbers.declined, details)).body["payment"]).toMatchObject({ status: "declined" });
    await sweep(service.context);
    expect(await methodOf(checkout)).toMatchObject({ billing_details: null });
    expect(await dumpDatabase(service.context.db)).not.toMatch(/unmistakable/i);
    expect(service.log.join("")).not.toMatch(/unmistakable/i);
  });

  it.each([undefined, {}])("may be %j", async (details) => {
    const checkout = await merchant.checkout(setup);
    await checkout.pay(cardNumbers.approved, details);
    expect(await methodOf(checkout)).toMatchObject({ billing_details: null, reusable: true });
  });

  it("may be partial, up to the length limits", async () => {
    const details = [
      { name: "A" },
      { name: "x".repeat(100) },
      { email: "a@b" },
      { postal_code: "SW1A 1AA" },
      { country: "FR" },
    ];
    for (const some of details) {
      const checkout = await merchant.checkout(setup);
      await checkout.pay(cardNumbers.approved, some);
      expect(await methodOf(checkout)).toMatchObject({ billing_details: some });
    }
  });

  it.each<[unknown, string]>([
    [{ name: "" }, "billing_details.name"],
    [{ name: "x".repeat(101) }, "billing_details.name"],
    [{ name: 7 }, "billing_details.name"],
    [{ name: null }, "billing_details.name"],
    [{ name: "Ada\u0001Vance" }, "billing_details.name"],
    [{ name: "Ada\nVance" }, "billing_details.name"],
    [{ name: "Ada\u2028Vance" }, "billing_details.name"],
    [{ email: "a@" }, "billing_details.email"],
    [{ email: "ada" }, "billing_details.email"],
    [{ email: "ada@a@b" }, "billing_details.email"],
    [{ email: "ada @customer.example" }, "billing_details.email"],
    [{ email: `${"x".repeat(200)}@b` }, "billing_details.email"],
    [{ postal_code: "" }, "billing_details.postal_code"],
    [{ postal_code: "x".repeat(21) }, "billing_details.postal_code"],
    [{ country: "de" }, "billing_details.country"],
    [{ country: "DEU" }, "billing_details.country"],
    [{ country: ["DE"] }, "billing_details.country"],
    [null, "billing_details"],
    ["Ada", "billing_details"],
    [[ada], "billing_details"],
  ])("are refused when they are %j, and nothing about the attempt is stored", async (details, param) => {
    const checkout = await openCheckout(service);
    expectError(await checkout.pay(cardNumbers.approved, details), invalid("parameter_invalid", param));
    expect(await checkout.session()).toMatchObject({ attempts_left: 5, payment_status: "unpaid" });
  });

  it("can't contain other fields", async () => {
    const checkout = await openCheckout(service);
    const response = await checkout.pay(cardNumbers.approved, { ...ada, phone: "1" });
    expectError(response, invalid("parameter_unknown", "billing_details.phone"));
  });

  it.each<[object, string]>([
    [{ name: "No. 4242-4242-4242-4242" }, "name"],
    [{ postal_code: "4242 4242 4242 4242" }, "postal_code"],
    [{ email: "4242424242424242@customer.example" }, "email"],
    [{ name: "Ada 4242", postal_code: "4242 4242" }, "postal_code"],
  ])("are refused, not stored and not repeated when they could be a card number: %j", async (details, field) => {
    const checkout = await openCheckout(service);
    const response = await checkout.pay(cardNumbers.approved, details);
    expectError(response, invalid("parameter_invalid", `billing_details.${field}`));
    expect(response.text).not.toContain("4242");
    for (const typed of Object.values<string>({ ...details })) expect(service.log.join("")).not.toContain(typed);
    expect(await checkout.session()).toMatchObject({ attempts_left: 5, payment_status: "unpaid" });
    const stored = service.context.db
      .selectFrom("payment_method")
      .select("id")
      .where("session_id", "=", checkout.sessionId);
    expect(await stored.execute()).toEqual([]);
  });
});

describe("billing details sent to the issuer", () => {
  async function cardholderOf(details: object): Promise<unknown> {
    const checkout = await merchant.checkout();
    const id = String((await checkout.pay(cardNumbers.frictionless, details)).body["payment"]?.["id"]);
    const { body } = await checkout.authenticate(id);
    expect(["processing", "succeeded"]).toContain(String(body["payment"]?.["status"]));
    return (await bankAuthentications(service)).at(-1)?.["cardholder"];
  }

  it("use the field names of EMV 3-D Secure", async () => {
    expect(await cardholderOf(ada)).toEqual({
      cardholderName: "Ada Vance",
      email: "ada@customer.example",
      billAddrPostCode: "04109",
      billAddrCountry: "276",
    });
  });

  it.each<[object, object]>([
    [{}, {}],
    [{ name: "Zoë Łukasz-Åse" }, {}],
    [{ name: "Zoë Åse" }, { cardholderName: "Zoe Ase" }],
    [{ name: "佐藤 花子" }, {}],
    [{ name: "X" }, {}],
    [{ name: "x".repeat(100) }, { cardholderName: "x".repeat(45) }],
    [{ email: "zoë@customer.example" }, {}],
    [{ postal_code: "ABCDE-FGHIJ-KLMNO-P" }, {}],
    [{ country: "XX" }, {}],
    [{ country: "AF" }, { billAddrCountry: "004" }],
  ])("are shortened or left out to fit the message: %j becomes %j", async (details, expected) => {
    expect(await cardholderOf(details)).toEqual(expected);
  });
});
