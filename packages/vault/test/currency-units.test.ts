/**
 * For every currency, each connector either sends exactly the amount in the vendor's own unit, or refuses the operation
 * before it sends anything. A wrong number of decimals would be wrong by a factor of ten or more.
 */
import { describe, expect, it } from "vitest";
import { currenciesWithDecimals, maxAmountMinor } from "@oriel/protocol/currency";
import type { Acquirer, Money } from "../src/connectors/acquirer.ts";
import { createAdyenAcquirer } from "../src/connectors/adyen/acquirer.ts";
import { isOutcomeUnknown, NoReplyError } from "../src/connectors/errors.ts";
import type { SendCall } from "../src/connectors/http.ts";
import { openAcquirer } from "../src/connectors/sandbox/acquirer.ts";
import { adyenDecimals } from "./adyen-decimals.ts";
import { authorization } from "./authorization.ts";

const currencies = ([0, 2, 3, 4] as const).flatMap((decimals) =>
  currenciesWithDecimals(decimals).map((currency) => ({ currency, decimals })),
);

interface Vendor {
  open(call: SendCall): Acquirer;
  /** Null: the vendor doesn't publish it. */
  decimalsOf(currency: string, ours: number): number | null;
  /** In the body of a request. Null if it contains none. */
  amountIn(body: unknown): number | null;
}

const vendors: [string, Vendor][] = [
  [
    "the sandbox",
    {
      open: (call) =>
        openAcquirer({ mode: "test", call, observe: (_kind, run) => run(), moneyTimeoutMs: 1, queryTimeoutMs: 1 }),
      decimalsOf: (_currency, ours) => ours,
      amountIn: (body) => (body as { amount?: number }).amount ?? null,
    },
  ],
  [
    "Adyen",
    {
      open: (call) =>
        createAdyenAcquirer({
          mode: "test",
          url: "https://adyen.example/v72",
          apiKey: "the-key-that-adyen-gave-us",
          merchantAccount: "KilnAndClay",
          returnUrl: "https://shop.example/return",
          openCall: () => call,
        }),
      decimalsOf: (currency) => adyenDecimals[currency] ?? null,
      amountIn: (body) => (body as { amount?: { value: number } }).amount?.value ?? null,
    },
  ],
];

describe.each(vendors)("%s", (_name, { open, decimalsOf, amountIn }) => {
  it.each(currencies)("gets exact amounts in $currency, or none", async ({ currency, decimals }) => {
    const theirs = decimalsOf(currency, decimals);
    const unit = 10 ** decimals;
    const amounts = [1, 10, 99, 100, unit, 15 * unit, 150 * unit + 50, maxAmountMinor];
    const sent = await Promise.all(amounts.map((amount) => allOperations(open, amountIn, { amount, currency })));
    expect(sent).toEqual(
      amounts.map((amount) => {
        const exact = theirs === null ? null : exactly(amount, decimals, theirs);
        return { authorize: exact, capture: exact, refund: exact, toVendorAmount: exact };
      }),
    );
  });
});

/** The amount that each operation sends, or null if it's declined and nothing is sent. */
async function allOperations(open: Vendor["open"], amountIn: Vendor["amountIn"], money: Money) {
  const later = {
    reference: "att_2",
    isRepeated: false,
    authorization: { reference: "att_1", acquirerId: "993617894903480A" },
    ...money,
  };
  return {
    authorize: await sentBy((acquirer) => acquirer.authorize({ ...authorization, ...money })),
    capture: await sentBy((acquirer) => acquirer.capture(later)),
    refund: await sentBy((acquirer) => acquirer.refund(later)),
    toVendorAmount: open(noReply).capabilities.toVendorAmount(money),
  };

  async function sentBy(operate: (acquirer: Acquirer) => Promise<{ status: string }>): Promise<number | null> {
    const bodies: unknown[] = [];
    const acquirer = open(async (call) => {
      bodies.push(call.body);
      return await noReply(call);
    });
    const result = await operate(acquirer).then(
      ({ status }) => status,
      (error: unknown) => (isOutcomeUnknown(error) ? "unknown" : Promise.reject(error)),
    );
    expect({ result, requests: bodies.length }).toEqual(
      bodies.length === 0 ? { result: "declined", requests: 0 } : { result: "unknown", requests: 1 },
    );
    return bodies.length === 0 ? null : amountIn(bodies[0]);
  }
}

const noReply: SendCall = ({ what }) => Promise.reject(new NoReplyError(what, "ECONNREFUSED"));

/** In whole numbers, so that no rounding can hide an error. */
function exactly(amount: number, ours: number, theirs: number): number | null {
  const scaled = BigInt(amount) * 10n ** BigInt(theirs);
  const divisor = 10n ** BigInt(ours);
  return scaled % divisor === 0n ? Number(scaled / divisor) : null;
}
