/** 3-D Secure: the same for a directory server and for a vendor that has the 3DS Server. */
import { describe, expect, it } from "vitest";
import { threeDSecureCards, type ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import { completeChallenge, goBack, runMethod, type ChallengeInput } from "../setup/at-the-bank.ts";
import type { Checkout } from "../setup/customer.ts";
import { settled } from "../setup/payment-state.ts";
import { nothing, type AcquirerUnderTest } from "./acquirer-under-test.ts";

interface Scenario {
  /** What the customer does on the issuer's page, if there is one. */
  at?: ChallengeInput;
  result: string;
  liabilityShift: boolean;
  /** Null: the payment succeeds. */
  declined: string | null;
}

const paid = { result: "authenticated", liabilityShift: true, declined: null };
const failed = { result: "failed", liabilityShift: false, declined: "authentication_failed" };

const scenarios: [ThreeDSecureScenario, Scenario][] = [
  ["not_enrolled", { result: "not_supported", liabilityShift: false, declined: null }],
  ["frictionless", paid],
  ["frictionless_without_method", paid],
  ["attempted", { result: "attempted", liabilityShift: true, declined: null }],
  ["not_authenticated", failed],
  ["rejected", { result: "rejected", liabilityShift: false, declined: "authentication_rejected" }],
  ["challenge", { at: { code: "111111" }, ...paid }],
  ["challenge_fails", { at: "nothing", ...failed }],
  ["soft_decline", { at: { code: "111111" }, ...paid }],
  ["challenge_then_insufficient_funds", { at: { code: "111111" }, ...paid, declined: "insufficient_funds" }],
];

export function describeThreeDSecure(tested: () => AcquirerUnderTest): void {
  describe("3-D Secure", () => {
    it.each(scenarios)("ends as expected: %s", async (name, { at, result, liabilityShift, declined }) => {
      const merchant = await tested().newMerchant();
      const checkout = await merchant.checkout();
      const id = String((await checkout.pay(threeDSecureCards[name][0])).body["payment"]?.["id"]);
      await playThrough(checkout, id, at);
      const payment = await settled(checkout, id);
      expect(String(payment["status"])).toBe(declined === null ? "succeeded" : "declined");
      expect(await merchant.read(`decisions/${id}`)).toMatchObject({
        three_d_secure: { result, liability_shift: liabilityShift },
      });
      const [charge] = await merchant.list(`charges?session_id=${checkout.sessionId}`);
      expect(charge?.["failure"]?.["decline_code"] ?? null).toBe(declined);
      expect(await tested().moneyOf(id)).toEqual({ ...nothing, captured: declined === null ? 4900 : 0 });
    });

    it("that the customer cancels ends the payment, and nothing is authorized", async () => {
      const merchant = await tested().newMerchant();
      const checkout = await merchant.checkout();
      const id = String((await checkout.pay(threeDSecureCards.challenge[0])).body["payment"]?.["id"]);
      const payment = (await checkout.authenticate(id)).body["payment"] ?? {};
      expect(payment).toMatchObject({ status: "challenge" });
      await checkout.cancel(id);
      expect(await settled(checkout, id)).toMatchObject({ status: "declined", retryable: true });
      expect(await tested().countAuthorizations(id)).toBe(0);
      expect((await checkout.pay(threeDSecureCards.not_enrolled[0])).body["payment"]).toMatchObject({
        status: "succeeded",
      });
    });
  });

  /** Plays the browser and the customer. A soft decline leads to a second authentication, of up to two rounds. */
  async function playThrough(checkout: Checkout, id: string, at: ChallengeInput | undefined): Promise<void> {
    for (let round = 0; round < 3; round++) {
      let payment = (await checkout.payment(id)).body["payment"] ?? {};
      if (String(payment["status"]) === "three_ds") {
        if (String(payment["method"]?.["url"]).endsWith("/acs/method")) await runMethod(tested().service, payment);
        payment = (await checkout.authenticate(id)).body["payment"] ?? {};
      }
      if (String(payment["status"]) !== "challenge") continue;
      const back = await completeChallenge(tested().service, payment, at ?? "nothing");
      if (back !== null) await goBack(back);
    }
  }
}
