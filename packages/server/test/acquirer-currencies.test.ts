/**
 * With an acquirer account at Adyen, the API refuses every amount that Adyen's unit can't express, before anything is
 * sent. The vault's `currency-units.test.ts` checks the amounts that are sent.
 */
import { describe, expect, it } from "vitest";
import { currenciesWithDecimals } from "@oriel/protocol/currency";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { adyenDecimals } from "../../vault/test/adyen-decimals.ts";
import { startAdyen } from "./setup/adyen.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";

const adyen = await openForTests(startAdyen());
const service = await openForTests(startTestService({ bankUrl: adyen.bankUrl }));
const merchant = await newMerchant(service);
const other = await newMerchant(service);
await adyen.connect(service, merchant.tenant);

const currencies = ([0, 2, 3, 4] as const).flatMap((decimals) =>
  currenciesWithDecimals(decimals).map((currency) => ({ currency, decimals })),
);
const isPublished = ({ currency }: { currency: string }) => adyenDecimals[currency] !== null;
/** One of our smallest units is less than one of Adyen's. */
const isCoarser = ({ currency, decimals }: { currency: string; decimals: number }) =>
  (adyenDecimals[currency] ?? decimals) < decimals;
const create = (of: Merchant, path: string, money: object) => of.call("POST", `/api/v1/${path}`, money);

describe("a session", () => {
  it.each(currencies.filter(isPublished))("in $currency is created, also with a total of 0", async (one) => {
    const { currency, decimals } = one;
    for (const money of [
      { amount: 100 * 10 ** decimals, currency },
      { amount: 0, currency },
    ]) {
      const { session } = (await create(merchant, "checkout_sessions", money)).body;
      expect(session).toMatchObject(money);
    }
  });

  it.each(currencies.filter((one) => !isPublished(one)))("in $currency is refused", async ({ currency }) => {
    const money = { amount: 100_000, currency };
    expectError(await create(merchant, "checkout_sessions", money), invalid("currency_unknown", "currency"));
    expect((await create(other, "checkout_sessions", money)).status).toBe(200);
  });

  it.each(currencies.filter(isCoarser))(
    "in $currency is refused if the amount isn't whole at Adyen",
    async ({ currency }) => {
      for (const amount of [1, 99, 15_050]) {
        const money = { amount, currency };
        expectError(await create(merchant, "checkout_sessions", money), invalid("amount_invalid", "amount"));
        expect((await create(other, "checkout_sessions", money)).status).toBe(200);
      }
    },
  );
});

describe("a later request", () => {
  const payment_method_id = "pm_card_visa";

  it.each(["afn", "lsl"])("for a decision in %s is refused", async (currency) => {
    const request = { amount: 100_000, currency, payment_method_id };
    expectError(await create(merchant, "decisions", request), invalid("currency_unknown", "currency"));
  });

  it("to capture or refund an amount that isn't whole at Adyen is refused, and nothing is written or sent", async () => {
    const money = { amount: 1_500_000, currency: "idr" };
    const pay = async (more: object) => {
      const { id: decision_id } = await merchant.decide(payment_method_id, money);
      return (await create(merchant, "charges", { ...money, payment_method_id, decision_id, ...more })).body;
    };
    const [reserved, captured] = [await pay({ capture_method: "manual" }), await pay({})];
    const refused = invalid("amount_invalid", "amount");
    expectError(await merchant.capture(String(reserved["id"]), 1_000_050), refused);
    expectError(await merchant.refund(String(captured["id"]), 50), refused);
    for (const charge of [reserved, captured]) {
      expect(await merchant.read(`charges/${String(charge["id"])}`)).toEqual(charge);
      const attempts = service.context.db
        .selectFrom("attempt")
        .select(["id", "kind"])
        .where("charge_id", "=", String(charge["id"]));
      const [authorization, ...others] = await attempts.execute();
      expect(others).toEqual([]);
      const { payments } = await adyen.ledger(authorization?.id ?? "");
      // The automatic capture has no reference.
      const requested = payments
        .flatMap(({ modifications }) => modifications)
        .filter((one) => one["reference"] !== null);
      expect(requested).toEqual([]);
    }
  });

  it("to capture or refund a whole amount is accepted", async () => {
    const money = { amount: 1_500_000, currency: "idr" };
    const { id: decision_id } = await merchant.decide(payment_method_id, money);
    const order = { ...money, payment_method_id, decision_id, capture_method: "manual" };
    const { id } = (await create(merchant, "charges", order)).body;
    await adyen.setDelays({ outcomeMs: 60_000 }); // so that the notification doesn't come before the response
    expect((await merchant.capture(String(id), 1_000_000)).body).toMatchObject({ pending_operation: "capture" });
  });
});
