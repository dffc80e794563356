/** For acquirers that report failures after the outcome, and disputes. */
import { describe, expect, it } from "vitest";
import type { AdyenBank } from "../setup/adyen.ts";
import { cardNumbers } from "../setup/customer.ts";
import { summarize, type Merchant } from "../setup/merchant.ts";
import type { Json } from "../setup/test-service.ts";
import { until } from "../setup/until.ts";
import {
  chargeWith,
  idOf,
  ledgerOf,
  nothing,
  openAttention,
  refundWith,
  type AcquirerUnderTest,
} from "./acquirer-under-test.ts";

export interface ReportingAcquirer extends AcquirerUnderTest {
  /** Its control routes. */
  adyen: Pick<AdyenBank, "fail" | "dispute" | "ledger">;
}

export function describeLateChanges(tested: () => ReportingAcquirer): void {
  describe("a failure after the outcome", () => {
    it("of a capture ends the payment as failed, and an item is raised", async () => {
      const { merchant, charge, decisionId } = await payAndCapture();
      await tested().adyen.fail(await acquirerIdOf(decisionId, "capture"), "CAPTURE_FAILED");
      const failed = await chargeWith(merchant, idOf(charge), "failed");
      expect(failed).toMatchObject({ amount_captured: 0 });
      expect(await ledgerOf(merchant, idOf(charge))).toEqual(["capture 4900 eur", "capture_failed -4900 eur"]);
      expect(await tested().merchantBalanceOf(decisionId)).toBe(0);
      expect(summarize(await merchant.events(idOf(charge)))).toContain("charge.capture_failed 3 failed");
      expect(await openAttention(tested(), merchant)).toEqual(["capture_failed_late"]);
    });

    it.each(["REFUND_FAILED", "REFUNDED_REVERSED"] as const)(
      "of a refund (%s) gives the amount back, so it can be refunded again",
      async (eventCode) => {
        const { merchant, charge, decisionId } = await payAndCapture();
        const { body: refund } = await merchant.refund(idOf(charge), 900);
        await refundWith(merchant, idOf(refund), "succeeded");
        await tested().adyen.fail(await acquirerIdOf(decisionId, "refund"), eventCode);
        await refundWith(merchant, idOf(refund), "failed");
        expect(await merchant.read(`charges/${idOf(charge)}`)).toMatchObject({ amount_refunded: 0 });
        expect(await ledgerOf(merchant, idOf(charge))).toEqual(
          [
            "capture 4900 eur",
            "refund -900 eur",
            `${eventCode === "REFUND_FAILED" ? "refund_failed" : "refund_reversed"} 900 eur`,
          ].sort(),
        );
        expect(summarize(await merchant.events(idOf(refund)))).toEqual([
          "refund.succeeded 1 succeeded",
          "refund.failed 2 failed",
        ]);
        expect(await openAttention(tested(), merchant)).toEqual(["refund_failed_late"]);
        const again = await merchant.refund(idOf(charge), 4900);
        await refundWith(merchant, idOf(again.body), "succeeded");
        expect(await tested().merchantBalanceOf(decisionId)).toBe(0);
      },
    );
  });

  describe("a dispute", () => {
    it("is never refused: in any amount, after a full refund, and more than once", async () => {
      const { merchant, charge, decisionId } = await payAndCapture();
      const { body: refund } = await merchant.refund(idOf(charge));
      await refundWith(merchant, idOf(refund), "succeeded");
      const paymentPspReference = await acquirerIdOf(decisionId, "authorize");
      const amount = { value: 9900, currency: "USD" };
      for (const value of [9900, 100])
        await tested().adyen.dispute({
          paymentPspReference,
          eventCode: "CHARGEBACK",
          amount: { ...amount, value },
        });
      await until("the ledger", async () => ((await ledgerOf(merchant, idOf(charge))).length === 4 ? true : null));
      expect(await ledgerOf(merchant, idOf(charge))).toEqual([
        "capture 4900 eur",
        "chargeback -100 usd",
        "chargeback -9900 usd",
        "refund -4900 eur",
      ]);
      expect(await merchant.list("disputes")).toHaveLength(2);
    });

    it.each([
      { steps: ["NOTIFICATION_OF_CHARGEBACK"], moved: 0 },
      { steps: ["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK"], moved: -4900 },
      { steps: ["CHARGEBACK", "CHARGEBACK_REVERSED"], moved: 0 },
      { steps: ["CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK"], moved: -4900 },
      { steps: ["CHARGEBACK_REVERSED", "SECOND_CHARGEBACK", "CHARGEBACK"], moved: -4900 },
    ])("with $steps moves what the acquirer says", async ({ steps, moved }) => {
      const { merchant, charge, decisionId } = await payAndCapture();
      const paymentPspReference = await acquirerIdOf(decisionId, "authorize");
      const [first = "", ...more] = steps;
      const disputePspReference = await tested().adyen.dispute({ paymentPspReference, eventCode: first });
      for (const eventCode of more)
        await tested().adyen.dispute({ paymentPspReference, eventCode, disputePspReference });
      const events = await until("the events", async () => {
        const disputeEvents = (await merchant.events()).filter(({ type }) => String(type).startsWith("dispute."));
        return disputeEvents.length >= steps.length ? disputeEvents : null;
      });
      expect(String(events[0]?.["type"])).toBe("dispute.created");
      const [dispute, ...others] = await merchant.list("disputes");
      expect(others).toEqual([]);
      expect(dispute).toMatchObject({ charge_id: idOf(charge), acquirer_id: disputePspReference });
      const entries = await merchant.list(`ledger_entries?charge_id=${idOf(charge)}`);
      expect(entries.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(4900 + moved);
      expect(await tested().merchantBalanceOf(decisionId)).toBe(4900 + moved);
      // The charge itself doesn't change.
      expect(await merchant.read(`charges/${idOf(charge)}`)).toMatchObject({ status: "succeeded", amount_refunded: 0 });
      expect(await tested().moneyOf(decisionId)).toEqual({ ...nothing, captured: 4900 });
    });
  });

  async function payAndCapture(): Promise<{ merchant: Merchant; charge: Json; decisionId: string }> {
    const merchant = await tested().newMerchant();
    const checkout = await merchant.checkout({ capture_method: "manual" });
    await checkout.pay(cardNumbers.approved);
    const { id } = await merchant.chargeOf(checkout);
    await merchant.capture(String(id));
    const charge = await chargeWith(merchant, String(id), "succeeded");
    return { merchant, charge, decisionId: String(charge["decision_id"]) };
  }

  async function acquirerIdOf(decisionId: string, kind: "authorize" | "capture" | "refund"): Promise<string> {
    const attempts = tested().service.context.db.selectFrom("attempt").select("acquirer_id");
    const ofDecision = attempts.where("decision_id", "=", decisionId).where("kind", "=", kind);
    return String((await ofDecision.executeTakeFirstOrThrow()).acquirer_id);
  }
}
