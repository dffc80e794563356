/**
 * Tests that a step-up survives a crash: wherever a process dies, the customer is challenged once, there is one charge
 * with one event, and money moves once.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { runAttempt } from "../src/payments/flow/run-attempt.ts";
import { conclude } from "../src/payments/flow/threeds/conclude.ts";
import { sweep } from "../src/worker.ts";
import { completeChallenge } from "./setup/at-the-bank.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { payAndAuthenticate, type Checkout } from "./setup/customer.ts";
import { newMerchant } from "./setup/merchant.ts";
import { authenticationsOf, settled } from "./setup/payment-state.ts";
import { both, paid, right, softCard, steppingUp } from "./setup/step-up.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { storedCards } from "./setup/vault-counts.ts";

const service = await openForTests(startTestService({ pages: true }));
const merchant = await newMerchant(service);

const { payAndBeDeclined, payUpToSecondChallenge, charged, authorizations } = steppingUp(() => ({ service, merchant }));

describe("a process death during a step-up", () => {
  it("between the decline and our commit leads to a status check and a single challenge", async () => {
    await addFaults(service, { match: { kind: "authorization" }, fault: "error_after", times: 1 });
    const { checkout, id, payment } = await payAndBeDeclined(true);
    await clearFaults(service);
    expect(payment).toEqual({ id, status: "processing" });
    expect(await authenticationsOf(service, id)).toHaveLength(1);
    const attempt = service.context.db.selectFrom("attempt").select("id").where("decision_id", "=", id);
    const { id: attemptId } = await attempt.executeTakeFirstOrThrow();
    service.moveClock(2_000);
    await Promise.all(Array.from({ length: 5 }, () => runAttempt(service.context, attemptId, { wanted: true })));
    await until("the step-up", async () => {
      const now = (await checkout.payment(id)).body["payment"];
      return String(now?.["status"]) === "three_ds" ? true : null;
    });
    expect(await authenticationsOf(service, id)).toHaveLength(2);
    await completeChallenge(service, (await checkout.authenticate(id)).body["payment"] ?? {}, right);
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect(await charged(checkout)).toEqual(paid);
    expect(await authorizations(id)).toEqual(both);
  });

  it("between the bank's result and the second authorization is recovered by the sweep, once", async () => {
    const { checkout, id } = await payUpToSecondChallenge();
    const [, second = expect.fail()] = await authenticationsOf(service, id);
    const proof = { eci: "05", authentication_value: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=" };
    const ended = await conclude(service.context, second, "authenticated", { trans_status: "Y", ...proof });
    expect(ended).toEqual({ attempt: expect.any(String) });
    expect(await conclude(service.context, second, "canceled")).toBeNull();
    expect(await storedCards(service, checkout)).toMatchObject({ cards: 1 });
    service.moveClock(6_000);
    await sweep(service.context);
    await until("the charge", async () => ((await charged(checkout)).charges.join() === "processing" ? null : true));
    // This test made up the proof, so the bank doesn't recognize it and declines again.
    expect(await charged(checkout)).toEqual({
      charges: ["failed authentication_required"],
      events: ["payment_failed 1 failed"],
    });
    expect(await authorizations(id)).toHaveLength(2);
  });

  it("after the second authorization still moves the money once", async () => {
    const { checkout, id, payment } = await payUpToSecondChallenge();
    await addFaults(service, { match: { kind: "authorization" }, fault: "error_after", times: 1 });
    await completeChallenge(service, payment, right);
    await until("the request without a response", async () => {
      const now = (await checkout.payment(id)).body["payment"];
      return String(now?.["status"]) === "authenticating" ? null : true;
    });
    await clearFaults(service);
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect(await charged(checkout)).toEqual(paid);
    expect(await authorizations(id)).toEqual(both);
  });
});

it("leaves one recorded attempt of the card, with the payment's outcome", async () => {
  const watched = await startTestService({ risk: "on" });
  try {
    const shop = await newMerchant(watched);
    const outcomeAfter = async (end: (checkout: Checkout, id: string) => Promise<unknown>) => {
      const checkout = await shop.checkout();
      const { id } = await payAndAuthenticate(checkout, softCard);
      const tries = () =>
        watched.context.db.selectFrom("card_try").select("outcome").where("decision_id", "=", id).execute();
      expect(await tries()).toEqual([{ outcome: "pending" }]);
      await end(checkout, id);
      await settled(checkout, id);
      return await tries();
    };
    const complete = async (checkout: Checkout, id: string, code: string) =>
      await completeChallenge(watched, (await checkout.authenticate(id)).body["payment"] ?? {}, { code });
    expect(await outcomeAfter((checkout, id) => complete(checkout, id, "111111"))).toEqual([{ outcome: "approved" }]);
    expect(await outcomeAfter((checkout, id) => complete(checkout, id, "222222"))).toEqual([{ outcome: "declined" }]);
    expect(await outcomeAfter((checkout, id) => checkout.cancel(id))).toEqual([{ outcome: "declined" }]);
  } finally {
    await watched.close();
  }
});
