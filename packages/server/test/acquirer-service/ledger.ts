/**
 * The ledger equals the acquirer's own records: for a payment of each kind here, and for every charge that the tests of
 * the file have made.
 */
import { expect, it } from "vitest";
import { cardNumbers } from "../setup/customer.ts";
import { until } from "../setup/until.ts";
import { chargeWith, idOf, refundWith, type AcquirerUnderTest } from "./acquirer-under-test.ts";

/** Call it last. */
export function describeLedger(tested: () => AcquirerUnderTest): void {
  it("enters in the ledger exactly what has moved at the acquirer", async () => {
    const merchant = await tested().newMerchant();
    const pay = async (capture_method: string, card: string = cardNumbers.approved) => {
      const checkout = await merchant.checkout({ capture_method });
      await checkout.pay(card);
      return await merchant.chargeOf(checkout);
    };
    const charges = [
      await pay("automatic"),
      await pay("automatic", cardNumbers.refundDeclined),
      await pay("manual"),
      await pay("manual", cardNumbers.captureDeclined),
      await pay("manual"),
    ].map(idOf);
    const [refunded = "", refundDeclined = "", captured = "", captureDeclined = "", canceled = ""] = charges;
    await refundWith(merchant, idOf((await merchant.refund(refunded, 900)).body), "succeeded");
    await merchant.refund(refundDeclined, 900);
    await merchant.capture(captured, 1200);
    await merchant.capture(captureDeclined, 1200);
    await merchant.cancel(canceled);
    await chargeWith(merchant, captured, "succeeded");
    await chargeWith(merchant, captureDeclined, "authorized");
    await chargeWith(merchant, canceled, "canceled");
    const entered = await enteredFor(tested());
    expect(Object.fromEntries(charges.map((id) => [id, entered[id]?.entered]))).toEqual({
      [refunded]: 4000,
      [refundDeclined]: 4900,
      [captured]: 1200,
      [captureDeclined]: 0,
      [canceled]: 0,
    });

    // What the acquirer reports about the earlier tests may still be on its way.
    const all = await until("the ledger to equal the acquirer's records", async () => {
      const rows = Object.values(await enteredFor(tested()));
      const moved = await Promise.all(rows.map(({ decisionId }) => tested().merchantBalanceOf(decisionId)));
      return rows.every(({ entered: sum }, i) => sum === moved[i]) ? rows : null;
    });
    expect(all.length).toBeGreaterThan(5);
  });
}

/** The sum of each charge's entries. */
async function enteredFor({
  service: { context },
}: AcquirerUnderTest): Promise<Record<string, { decisionId: string; entered: number }>> {
  const charges = await context.db.selectFrom("charge").select(["id", "decision_id"]).execute();
  const entries = await context.db.selectFrom("ledger_entry").select(["charge_id", "amount"]).execute();
  return Object.fromEntries(
    charges.map(({ id, decision_id: decisionId }) => {
      const own = entries.filter(({ charge_id }) => charge_id === id);
      return [id, { decisionId, entered: own.reduce((sum, { amount }) => sum + amount, 0) }];
    }),
  );
}
