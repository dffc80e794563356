/**
 * Payments whose outcome is unknown at an acquirer without a lookup: they're sent again for nine minutes, then
 * reversed, and an approval that's reported after that is undone. Whatever is lost, the customer has paid once for a
 * payment that succeeded, and nothing for one that failed.
 */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { noDetails } from "@oriel/vault";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { setAcquirerAccount } from "../src/merchants/accounts/acquirer-accounts.ts";
import { claimSeconds, longestPauseSeconds, readerPauseSeconds } from "../src/payments/attempts/deadlines.ts";
import { markFailed } from "../src/payments/flow/mark-failed.ts";
import { runAttempt, runClaimed } from "../src/payments/flow/run-attempt.ts";
import { reportOutcome } from "../src/payments/notifications/report-outcome.ts";
import { approved, declined, startAdyenWorld } from "./setup/adyen-outcomes.ts";
import { cardNumbers } from "./setup/customer.ts";
import { order } from "./setup/merchant.ts";
import { until } from "./setup/until.ts";
import { storedCards } from "./setup/vault-counts.ts";

const world = await openForTests(startAdyenWorld());
afterEach(() => world.adyen.clearFaults());

const minute = 60;
const day = 24 * 60 * minute;
const manual = { capture_method: "manual" };

/**
 * A payment of a customer whose outcome is unknown.
 *
 * @param fault what happens to the request: `error_after` loses the response, and `down` the request
 */
async function unknownPayment(fault: "error_after" | "down", order: object = {}) {
  const { merchant, adyen } = world;
  const checkout = await merchant.checkout(order);
  await adyen.addFaults({ match: { kind: "authorization" }, fault });
  const response = await checkout.pay(cardNumbers.approved);
  await adyen.clearFaults();
  const id = String((await merchant.chargeOf(checkout))["id"]);
  const paymentId = String(response.body["payment"]?.["id"]);
  expect(await world.charge(id)).toMatchObject({ status: "processing" });
  return { id, checkout, paymentId };
}

/** Runs the authorization of a charge now, as a worker that has just found it. */
async function run(id: string) {
  world.pass(readerPauseSeconds);
  const { id: attempt } = await world.attempt(id, "authorize");
  const result = await runAttempt(world.service.context, attempt, { wanted: true });
  await world.work(); // what the run began
  return result;
}

/** Passes the time in which the authorization is sent again. */
async function giveUp(id: string): Promise<void> {
  world.pass(9 * minute);
  await run(id);
}

const kinds = async (id: string) => (await world.attempts(id)).map(({ kind, reversal }) => reversal ?? kind);
const balanceOf = async (id: string) => (await world.atAdyen(id)).balances["EUR"];
const nothing = { reserved: 0, merchant: 0 };

/** The payment has failed, and the customer can pay again. */
async function expectFailed(id: string): Promise<void> {
  expect(await world.charge(id)).toMatchObject({ status: "failed", decline_code: "processing_error" });
  expect(await world.events(id)).toEqual(["payment_failed 1 failed"]);
}

describe("a payment whose response was lost", () => {
  it("is sent again, and the acquirer's first response ends it", async () => {
    const { id, checkout } = await unknownPayment("error_after");
    expect(await run(id)).toMatchObject({ state: "settled" });
    expect(await world.charge(id)).toMatchObject({ status: "succeeded" });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "paid" });
    const { payments } = await world.atAdyen(id);
    expect(payments).toHaveLength(1);
    expect(await balanceOf(id)).toEqual({ reserved: 0, merchant: 4900 });
    expect(await kinds(id)).toEqual(["authorize"]);
    expect(await world.ledger(id)).toEqual(["capture 4900"]);
  });

  it("is ended by a notification as well, however late, as long as its reversal hasn't begun", async () => {
    const { id } = await unknownPayment("error_after");
    world.pass(day);
    expect(await world.report(id, "authorize")).toEqual({ reported: "settled", outcome: "approved" });
    expect(await world.charge(id)).toMatchObject({ status: "succeeded" });
    await world.work();
    expect(await kinds(id)).toEqual(["authorize"]);
    expect((await world.report(id, "authorize")).reported).toBe("known");
  });

  it.each(["automatic", "manual"] as const)(
    "is reversed after nine minutes: the customer pays nothing (%s capture)",
    async (captureMethod) => {
      const { id } = await unknownPayment("error_after", { capture_method: captureMethod });
      world.pass(9 * minute - 2 * readerPauseSeconds);
      await world.adyen.addFaults({ match: { kind: "authorization" }, fault: "error_after" });
      await run(id);
      await world.adyen.clearFaults();
      expect(await kinds(id)).toEqual(["authorize"]);
      world.pass(readerPauseSeconds);
      await run(id);
      expect(await kinds(id)).toEqual(["authorize", "reference"]);
      expect(await world.charge(id)).toMatchObject({ status: "processing" });

      // What was captured can't be released, so its notification is needed.
      await world.report(id, "reverse", "reference");
      await world.report(id, "authorize");
      await world.work();
      await expectFailed(id);
      const undone = captureMethod === "automatic" ? ["authorize", "reference", "refund"] : ["authorize", "reference"];
      expect(await kinds(id)).toEqual(undone);
      expect(await balanceOf(id)).toEqual(nothing);
      expect((await world.atAdyen(id)).payments).toHaveLength(1);
    },
  );
});

describe("two payments with unknown outcomes", () => {
  it("end one by one, each with its own outcome", async () => {
    const [one, other] = [await unknownPayment("error_after"), await unknownPayment("error_after")];
    await reportOutcome(world.service.context, await world.attempt(one.id, "authorize"), declined(null));
    expect(await world.charge(one.id)).toMatchObject({ status: "failed" });
    expect(await world.charge(other.id)).toMatchObject({ status: "processing" });
    expect((await world.report(other.id, "authorize")).reported).toBe("settled");
    expect(await world.charge(other.id)).toMatchObject({ status: "succeeded" });
  });
});

describe("a payment that never arrived", () => {
  it("is sent again until nine minutes are over", async () => {
    const { id } = await unknownPayment("down");
    world.pass(9 * minute - 5);
    expect(await run(id)).toMatchObject({ state: "settled" });
    expect(await world.charge(id)).toMatchObject({ status: "succeeded" });
    expect(await balanceOf(id)).toEqual({ reserved: 0, merchant: 4900 });
  });

  it("isn't sent anymore after that, and an item is raised once after 24 hours", async () => {
    const { id } = await unknownPayment("down");
    await giveUp(id);
    expect((await world.report(id, "reverse", "reference")).outcome).toBe("declined");
    for (let i = 0; i < 3; i++) await run(id);
    expect(await world.atAdyen(id)).toMatchObject({ payments: [] });
    expect(await kinds(id)).toEqual(["authorize", "reference"]);
    world.pass(day - 20 * minute);
    await world.work();
    expect(await world.attention(id)).toEqual([]);
    for (const seconds of [11 * minute, day]) {
      world.pass(seconds);
      await world.work();
      expect(await world.attention(id)).toEqual(["outcome_unknown open"]);
    }
    expect(await world.charge(id)).toMatchObject({ status: "processing" });
  });

  it("fails without a reversal if it was never sent", async () => {
    const { id } = await unknownPayment("down");
    const { id: attempt } = await world.attempt(id, "authorize");
    const { db } = world.service.context;
    await db.updateTable("attempt").set({ calls: 0 }).where("id", "=", attempt).execute();
    world.pass(15 * minute);
    await run(id);
    await expectFailed(id);
    expect(await kinds(id)).toEqual(["authorize"]);
  });

  it("is reversed at once when the merchant cancels it", async () => {
    const { id } = await unknownPayment("down");
    expect(await world.merchant.cancel(id)).toMatchObject({ status: 200, body: { status: "processing" } });
    world.pass(2 * readerPauseSeconds);
    await world.work();
    expect(await kinds(id)).toEqual(["authorize", "reference"]);
    expect(await world.atAdyen(id)).toMatchObject({ payments: [] });
  });
});

describe("a reversal", () => {
  it("ends the payment as failed when the acquirer confirms it, and the card is erased", async () => {
    const { id, checkout } = await unknownPayment("error_after", manual);
    await giveUp(id);
    expect(await world.report(id, "reverse", "reference")).toEqual({ reported: "settled", outcome: "approved" });
    await expectFailed(id);
    expect(await balanceOf(id)).toEqual(nothing);
    expect(await checkout.session()).toMatchObject({ status: "open", payment_status: "unpaid", attempts_left: 4 });
    const { payment_method_id } = await world.charge(id);
    const { db } = world.service.context;
    const card = db.selectFrom("payment_method").select("card_erased_at").where("id", "=", payment_method_id);
    expect((await card.executeTakeFirstOrThrow()).card_erased_at).toBeInstanceOf(Date);

    // The authorization's own notification arrives last.
    expect((await world.report(id, "authorize")).reported).toBe("undone");
    await world.work();
    expect(await kinds(id)).toEqual(["authorize", "reference"]);
    expect((await world.report(id, "reverse", "reference")).reported).toBe("known");
    await expectFailed(id);
  });

  it("is begun once, also by processes that give up at the same time", async () => {
    const { id } = await unknownPayment("down");
    world.pass(9 * minute);
    const authorization = await world.attempt(id, "authorize");
    await Promise.all([1, 2, 3].map(() => runClaimed(world.service.context, { ...authorization, calls: 2 })));
    expect(await kinds(id)).toEqual(["authorize", "reference"]);
  });

  it("whose response is lost is sent again, and done once", async () => {
    const { id } = await unknownPayment("error_after", manual);
    await world.adyen.addFaults({ match: { kind: "cancel" }, fault: "error_after", times: 1 });
    await giveUp(id);
    expect(await world.attempt(id, "reverse", "reference")).toMatchObject({ accepted_at: null });
    world.pass(5);
    await world.work();
    expect((await world.attempt(id, "reverse", "reference")).accepted_at).toBeInstanceOf(Date);
    const { payments } = await world.atAdyen(id);
    expect(payments.flatMap(({ modifications }) => modifications)).toHaveLength(1);
    await world.report(id, "reverse", "reference");
    await expectFailed(id);
  });
});

describe("a reversal whose messages were all lost", () => {
  /** @param fault `error_after` loses only the replies, and `down` the messages */
  async function lostReversal(fault: "error_after" | "down") {
    const { id } = await unknownPayment("error_after", manual);
    await world.adyen.addFaults({ match: { kind: "cancel" }, fault });
    await giveUp(id);
    return id;
  }
  const reversal = (id: string) => world.attempt(id, "reverse", "reference");
  /** An hour later, the approval is canceled by its ID. The reversal isn't sent again before that. */
  async function cancelApproval(id: string): Promise<void> {
    await world.report(id, "authorize");
    await world.adyen.clearFaults();
    world.pass(60 * minute);
    await runAttempt(world.service.context, (await world.attempt(id, "reverse", "cancel")).id);
  }

  it("is sent again for 7 days", async () => {
    const id = await lostReversal("down");
    world.pass(6 * day);
    await world.work();
    expect(await reversal(id)).toMatchObject({ status: "processing", accepted_at: null });
    await world.adyen.clearFaults();
    world.pass(day - 20 * minute);
    await runAttempt(world.service.context, (await reversal(id)).id, { wanted: true });
    expect(await world.report(id, "reverse", "reference")).toEqual({ reported: "settled", outcome: "approved" });
    await expectFailed(id);
    expect(await balanceOf(id)).toEqual(nothing);
    expect(await world.attention(id)).toEqual(["outcome_unknown resolved"]);
  });

  it("ends without being sent again if the payment has failed meanwhile", async () => {
    const id = await lostReversal("down");
    await reportOutcome(world.service.context, await world.attempt(id, "authorize"), declined("REFUSED"));
    await world.adyen.clearFaults();
    world.pass(minute);
    await world.work();
    expect(await reversal(id)).toMatchObject({ status: "declined", accepted_at: null });
    expect((await world.atAdyen(id)).payments).toMatchObject([{ modifications: [] }]);
    expect(await world.attention(id)).toEqual([]);
  });

  it("stays as long as the payment, which a person is notified of", async () => {
    const id = await lostReversal("down");
    world.pass(day);
    await world.work();
    expect(await reversal(id)).toMatchObject({ status: "processing" });
    expect(await world.attention(id)).toEqual(["outcome_unknown open"]);
  });

  it("ends once the approval was canceled", async () => {
    const id = await lostReversal("down");
    await cancelApproval(id);
    expect(await reversal(id)).toMatchObject({ status: "processing" });
    expect((await world.report(id, "reverse", "cancel")).outcome).toBe("approved");
    await world.work();
    expect(await reversal(id)).toMatchObject({ status: "declined" });
    expect(await balanceOf(id)).toEqual(nothing);
    expect(await world.attention(id)).toEqual([]);
  });

  it("resolves what a person was notified of if it's reported as done after it ended", async () => {
    const id = await lostReversal("error_after");
    await cancelApproval(id);
    expect(await world.report(id, "reverse", "cancel")).toEqual({ reported: "settled", outcome: "declined" });
    expect(await world.attention(id)).toEqual(["reversal_failed open"]);
    await world.work();
    expect(await reversal(id)).toMatchObject({ status: "declined" });
    expect(await world.report(id, "reverse", "reference")).toEqual({ reported: "known", outcome: "approved" });
    expect(await world.attention(id)).toEqual(["reversal_failed resolved"]);
  });
});

describe("an approval that is reported after its reversal began", () => {
  it.each(["first", "second"] as const)(
    "of a payment that was captured at once is refunded, if it's reported %s",
    async (order) => {
      const { id } = await unknownPayment("error_after");
      await giveUp(id);
      const approval = () => world.report(id, "authorize");
      const reversal = () => world.report(id, "reverse", "reference");
      const [one, other] = order === "first" ? [approval, reversal] : [reversal, approval];
      await one();
      await other();
      await world.work();
      await expectFailed(id);
      expect(await world.ledger(id)).toEqual(["capture 4900"]);
      expect(await world.report(id, "reverse", "refund")).toEqual({ reported: "settled", outcome: "approved" });
      expect(await world.ledger(id)).toEqual(["capture 4900", "refund -4900"]);
      expect(await balanceOf(id)).toEqual(nothing);
      expect(await world.attention(id)).toEqual([]);

      for (const again of [approval, reversal, () => world.report(id, "reverse", "refund")]) await again();
      await world.work();
      expect(await kinds(id)).toEqual(["authorize", "reference", "refund"]);
      await expectFailed(id);
    },
  );

  it("of a payment whose capture isn't done yet is canceled", async () => {
    await world.adyen.setDelays({ captureMs: 2 * day });
    const { id } = await unknownPayment("error_after");
    await world.adyen.setDelays({ captureMs: 0 });
    await reportOutcome(world.service.context, await world.attempt(id, "authorize"), declined(null));
    expect((await world.report(id, "authorize")).reported).toBe("undone");
    await world.work();
    expect(await world.report(id, "reverse", "refund")).toEqual({ reported: "settled", outcome: "approved" });
    expect(await balanceOf(id)).toEqual(nothing);
    expect(await world.ledger(id)).toEqual(["capture 4900", "refund -4900"]);
    expect(await world.attention(id)).toEqual([]);
  });

  it("waits for the reversal, which leaves nothing to undo and nothing to enter in the ledger", async () => {
    const { id } = await unknownPayment("error_after", manual);
    await giveUp(id);
    expect((await world.report(id, "authorize")).reported).toBe("undone");
    await expectFailed(id);
    expect(await world.attempt(id, "reverse", "cancel")).toMatchObject({ status: "processing", calls: 0 });
    expect((await world.report(id, "reverse", "reference")).outcome).toBe("approved");
    await world.work();
    expect(await world.attempt(id, "reverse", "cancel")).toMatchObject({ status: "declined", calls: 0 });
    expect(await world.attention(id)).toEqual([]);
    expect(await world.ledger(id)).toEqual([]);
    expect(await balanceOf(id)).toEqual(nothing);
  });

  it("is canceled anyway if the reversal has no outcome for an hour, and the item is resolved once the reversal is reported", async () => {
    const { id } = await unknownPayment("error_after", manual);
    await giveUp(id);
    await world.report(id, "authorize");
    world.pass(60 * minute);
    await world.work();
    expect((await world.report(id, "reverse", "cancel")).outcome).toBe("declined"); // there's nothing left to cancel
    expect(await world.attention(id)).toEqual(["reversal_failed open"]);
    await world.report(id, "reverse", "reference");
    expect(await world.attention(id)).toEqual(["reversal_failed resolved"]);
    expect(await balanceOf(id)).toEqual(nothing);
  });

  it.each([
    ["lost before it arrived", ["down"], ["outcome_unknown open"], ["outcome_unknown resolved"]],
    ["sent without a reply", ["error_after"], ["outcome_unknown open"], ["outcome_unknown resolved"]],
    ["accepted", [], [], []],
  ] as const)(
    "whose cancellation was %s needs no attention once the reversal is done",
    async (_what, faults, attention, after) => {
      const { id } = await unknownPayment("error_after", manual);
      await giveUp(id);
      await world.report(id, "authorize");
      world.pass(60 * minute);
      for (const fault of faults) await world.adyen.addFaults({ match: { kind: "cancel" }, fault });
      await world.work();
      world.pass(day);
      await world.work();
      expect(await world.attention(id)).toEqual(attention);
      await world.adyen.clearFaults();
      await world.report(id, "reverse", "reference");
      expect(await world.attempt(id, "reverse", "cancel")).toMatchObject({ status: "declined" });
      expect(await world.attention(id)).toEqual(after);
      expect((await world.report(id, "reverse", "cancel")).reported).toBe("known");
      expect(await balanceOf(id)).toEqual(nothing);
      expect(await world.ledger(id)).toEqual([]);
    },
  );

  it("is undone by repeated requests if the first one, which waited for an hour, is lost", async () => {
    const { id } = await unknownPayment("error_after");
    await giveUp(id);
    await world.report(id, "authorize");
    world.pass(60 * minute);
    await world.adyen.addFaults({ match: { kind: "refund" }, fault: "down", times: 1 });
    await world.work();
    expect(await world.attempt(id, "reverse", "refund")).toMatchObject({ accepted_at: null, calls: 1 });
    world.pass(longestPauseSeconds); // the pause grows with the time that the first request took
    await world.work();
    expect((await world.attempt(id, "reverse", "refund")).accepted_at).toBeInstanceOf(Date);
    await world.report(id, "reverse", "refund");
    expect(await balanceOf(id)).toEqual(nothing);
    expect(await world.attention(id)).toEqual([]);
  });

  it("is undone by the same request again if the account's setting has changed in between", async () => {
    const { service, adyen, merchant } = world;
    const set = (multiple_partial_captures: boolean) => {
      const settings = { ...adyen.entered.settings, multiple_partial_captures };
      return setAcquirerAccount(service.context, merchant.tenant, { ...adyen.entered, settings }, "the test");
    };
    const { id } = await unknownPayment("error_after");
    await giveUp(id);
    await world.report(id, "authorize");
    world.pass(60 * minute);
    await adyen.addFaults({ match: { kind: "refund" }, fault: "error_after", times: 1 });
    await world.work();
    await set(true);
    world.pass(longestPauseSeconds);
    await world.work();
    await set(false);
    expect(await world.attempt(id, "reverse", "refund")).toMatchObject({
      accepted_at: expect.any(Date) as Date,
      calls: 2,
      sent_as_refund: false,
    });
    await world.report(id, "reverse", "refund");
    expect(await balanceOf(id)).toEqual(nothing);
  });

  it("has no capture in the ledger if the reversal released it, although its refund was sent", async () => {
    const { id } = await unknownPayment("error_after");
    await giveUp(id);
    await world.report(id, "authorize");
    world.pass(60 * minute);
    await world.work();
    expect(await world.ledger(id)).toEqual(["capture 4900"]);
    const { acquirer_id } = await world.attempt(id, "authorize");
    const reversal = await world.attempt(id, "reverse", "reference");
    await reportOutcome(world.service.context, reversal, approved("RELEASED"), acquirer_id);
    expect(await world.ledger(id)).toEqual(["capture 4900", "capture_failed -4900"]);
    const refund = await world.attempt(id, "reverse", "refund");
    expect(await reportOutcome(world.service.context, refund, declined("REFUSED"))).toBe("known");
    expect(await world.attention(id)).toEqual([]);
  });

  it("is undone if the reversal released another payment with the same reference", async () => {
    const { id } = await unknownPayment("error_after", manual);
    await giveUp(id);
    await world.report(id, "authorize");
    const reversal = await world.attempt(id, "reverse", "reference");
    await reportOutcome(world.service.context, reversal, approved("RELEASED"), "ANOTHER");
    await world.work();
    const cancellation = await world.attempt(id, "reverse", "cancel");
    expect(cancellation).toMatchObject({ status: "processing", calls: 1 });
    expect(cancellation.accepted_at).toBeInstanceOf(Date);
    expect(await reportOutcome(world.service.context, cancellation, declined("REFUSED"))).toBe("settled");
    expect(await world.attention(id)).toEqual(["reversal_failed open"]);
    expect(await reportOutcome(world.service.context, cancellation, approved("CANCELED"))).toBe("known");
    expect(await world.attention(id)).toEqual(["reversal_failed resolved"]);
  });

  it("contradicts it if another payment with the same reference is being undone", async () => {
    const { id } = await unknownPayment("error_after", manual);
    await giveUp(id);
    await world.report(id, "authorize");
    const { context } = world.service;
    const known = await world.attempt(id, "authorize");
    expect(await reportOutcome(context, known, approved(String(known.acquirer_id)))).toBe("undone");
    expect(await reportOutcome(context, known, approved("ANOTHER"))).toBe("contradicts");
    expect(await world.attempt(id, "authorize")).toMatchObject({ acquirer_id: known.acquirer_id });
    expect(await kinds(id)).toEqual(["authorize", "reference", "cancel"]);
  });

  it("is undone if it was the reply to a request that took too long", async () => {
    const { merchant, adyen, service } = world;
    const checkout = await merchant.checkout();
    await adyen.addFaults({ match: { kind: "authorization" }, fault: "late", ms: 1_500, times: 1 });
    const paid = checkout.pay(cardNumbers.approved);
    const id = await until("the payment to arrive", async () => {
      const [charge] = await merchant.list(`charges?session_id=${checkout.sessionId}`);
      if (charge === undefined) return null;
      const chargeId = String(charge["id"]);
      return (await world.atAdyen(chargeId)).payments.length === 1 ? chargeId : null;
    });
    // Another process takes over, because the first one no longer renews its claim.
    const late = { ...(await world.attempt(id, "authorize")), calls: 2 };
    const later = new Date(service.context.now().getTime() + 9 * minute * 1000);
    await runClaimed({ ...service.context, now: () => later }, late);
    expect(await kinds(id)).toContain("reference");
    await paid;
    await expectFailed(id);
    await until("the refund to be accepted", async () => {
      await world.report(id, "reverse", "reference");
      await world.work();
      return (await world.attempts(id)).some(({ reversal, accepted_at }) => reversal === "refund" && accepted_at)
        ? true
        : null;
    });
    await world.report(id, "reverse", "refund");
    expect(await balanceOf(id)).toEqual(nothing);
    expect(await world.ledger(id)).toEqual(["capture 4900", "refund -4900"]);
  });

  it("tells a person if it can't be undone", async () => {
    const { id } = await unknownPayment("error_after");
    await giveUp(id);
    await world.report(id, "reverse", "reference");
    await world.report(id, "authorize");
    await world.work();
    const { id: refund } = await world.attempt(id, "reverse", "refund");
    const attempt = await world.attempt(id, "reverse", "refund");
    expect(await reportOutcome(world.service.context, attempt, declined("REFUSED"))).toBe("settled");
    const items = world.service.context.db.selectFrom("attention").selectAll().where("charge_id", "=", id);
    const { pspReference } = (await world.atAdyen(id)).payments[0] ?? {};
    expect(await items.execute()).toMatchObject([
      {
        kind: "reversal_failed",
        subject: refund,
        details: { acquirer_id: pspReference, operation: "refund", amount: 4900, currency: "eur" },
      },
    ]);
    expect(await world.ledger(id)).toEqual(["capture 4900"]);
  });
});

describe("a payment that a person marked as failed", () => {
  const mark = async (id: string) => {
    const { context } = world.service;
    const { id: attempt } = await world.attempt(id, "authorize");
    return await context.db.transaction().execute((tx) => markFailed(context, tx, attempt));
  };

  it("fails, and is undone if it's reported as approved later", async () => {
    const { id } = await unknownPayment("error_after");
    await giveUp(id);
    await world.report(id, "reverse", "reference");
    world.pass(day);
    await world.work();
    expect(await mark(id)).toBe(true);
    await expectFailed(id);
    expect(await world.attention(id)).toEqual(["outcome_unknown resolved"]);
    expect((await world.report(id, "authorize")).reported).toBe("undone");
    await world.work();
    await world.report(id, "reverse", "refund");
    expect(await world.ledger(id)).toEqual(["capture 4900", "refund -4900"]);
    expect(await balanceOf(id)).toEqual(nothing);
    await expectFailed(id);
    expect(await mark(id)).toBe(false);
  });

  it("is listed if it was approved late, and the person also marks its refund as failed", async () => {
    const { id } = await unknownPayment("error_after");
    await giveUp(id);
    await world.report(id, "reverse", "reference");
    await world.adyen.addFaults({ match: { kind: "refund" }, fault: "down" });
    await world.report(id, "authorize");
    await world.work();
    world.pass(day);
    await world.work();
    expect(await world.attention(id)).toEqual(["outcome_unknown open"]);
    world.pass(readerPauseSeconds);
    const { id: refund } = await world.attempt(id, "reverse", "refund");
    const { context } = world.service;
    expect(await context.db.transaction().execute((tx) => markFailed(context, tx, refund))).toBe(true);
    expect(await world.attention(id)).toEqual(["outcome_unknown resolved", "reversal_failed open"]);
  });

  it("must have begun to be reversed, and have no outcome", async () => {
    const { id } = await unknownPayment("error_after");
    expect(await mark(id)).toBe(false);
    await run(id);
    expect(await mark(id)).toBe(false);
    expect(await world.charge(id)).toMatchObject({ status: "succeeded" });
  });
});

describe("an outcome that couldn't be committed", () => {
  /** Lets the statements that end an attempt fail, as after a failover. */
  async function whileNothingCommits<T>(work: () => Promise<T>): Promise<T> {
    const { db } = world.service.context;
    await sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''lost''; end'`.execute(
      db,
    );
    await sql`create trigger refuse before update of status on attempt for each row execute function refuse()`.execute(
      db,
    );
    const result = await work();
    await sql`drop function refuse cascade`.execute(db);
    return result;
  }

  it.each([
    ["an approval", {}, cardNumbers.approved, "succeeded", { cards: 0, codes: 0 }],
    [
      "an approval with a card to save",
      { save_payment_method: true },
      cardNumbers.approved,
      "succeeded",
      { cards: 1, codes: 0 },
    ],
    ["a decline", {}, cardNumbers.insufficientFunds, "failed", { cards: 0, codes: 0 }],
  ])(
    "is the acquirer's first response again (%s), and then the CVC is erased",
    async (_name, order, card, status, left) => {
      const checkout = await world.merchant.checkout(order);
      await whileNothingCommits(() => checkout.pay(card));
      const id = String((await world.merchant.chargeOf(checkout))["id"]);
      expect(await world.charge(id)).toMatchObject({ status: "processing" });
      expect(await storedCards(world.service, checkout)).toEqual({ cards: 1, codes: 1 });

      world.pass(claimSeconds);
      expect(await run(id)).toMatchObject({ state: "settled" });
      expect(await world.charge(id)).toMatchObject({ status });
      expect(await kinds(id)).toEqual(["authorize"]);
      expect((await world.atAdyen(id)).payments).toHaveLength(1);
      expect(await storedCards(world.service, checkout)).toEqual(left);
    },
  );
});

describe("the CVC of a card to save", () => {
  const saved = { save_payment_method: true };

  it("is erased when a notification has the outcome", async () => {
    const { id, checkout } = await unknownPayment("error_after", saved);
    expect(await storedCards(world.service, checkout)).toEqual({ cards: 1, codes: 1 });
    await world.report(id, "authorize");
    expect(await storedCards(world.service, checkout)).toEqual({ cards: 1, codes: 0 });
  });

  it("is erased when the acquirer has accepted the payment and reports its outcome later", async () => {
    const { context } = world.service;
    const { vault } = context;
    const accepted = { outcome: "pending", details: noDetails } as const;
    const acquirer: typeof vault.acquirer = async (...args) => {
      const opened = await vault.acquirer(...args);
      return opened && { ...opened, authorize: () => Promise.resolve(accepted) };
    };
    context.vault = { ...vault, acquirer };
    const checkout = await world.merchant.checkout(saved);
    await checkout.pay(cardNumbers.approved);
    context.vault = vault;
    expect(await storedCards(world.service, checkout)).toEqual({ cards: 1, codes: 0 });
  });

  it("is erased by the sweep within fifteen minutes if that fails after the commit", async () => {
    const { context } = world.service;
    const { vault } = context;
    context.vault = { ...vault, eraseCvc: () => Promise.reject(new Error("The vault's database is down")) };
    const checkout = await world.merchant.checkout(saved);
    await checkout.pay(cardNumbers.approved);
    context.vault = vault;
    expect(await checkout.session()).toMatchObject({ payment_status: "paid" });
    expect(await storedCards(world.service, checkout)).toEqual({ cards: 1, codes: 1 });
    world.pass(15 * minute);
    await vault.sweep();
    expect(await storedCards(world.service, checkout)).toEqual({ cards: 1, codes: 0 });
  });
});

describe("a payment whose CVC was lost before the acquirer's response", () => {
  async function paymentWithoutCvc() {
    const { id } = await unknownPayment("error_after");
    await sql`delete from vault.cvc`.execute(world.service.context.db);
    return id;
  }

  it("isn't sent again, and waits for its notification", async () => {
    const id = await paymentWithoutCvc();
    expect(await run(id)).toMatchObject({ state: "unknown" });
    expect(await kinds(id)).toEqual(["authorize"]);
    expect((await world.report(id, "authorize")).reported).toBe("settled");
    expect(await world.charge(id)).toMatchObject({ status: "succeeded" });
  });

  it("is reversed after nine minutes", async () => {
    const id = await paymentWithoutCvc();
    await run(id);
    await giveUp(id);
    expect(await kinds(id)).toEqual(["authorize", "reference"]);
    expect((await world.atAdyen(id)).payments).toHaveLength(1);
  });
});

describe("a payment whose CVC was gone before the first request", () => {
  it("is sent without it, and again without it if the response is lost", async () => {
    const { merchant, adyen, service } = world;
    const checkout = await merchant.checkout({ confirmation: "server" });
    const { payment } = (await checkout.pay(cardNumbers.approved)).body;
    const payment_method_id = String(payment?.["payment_method_id"]);
    await service.context.vault.eraseCvc(payment_method_id);
    await adyen.addFaults({ match: { kind: "authorization" }, fault: "error_after", times: 1 });
    const request = { ...order, payment_method_id, decision_id: payment?.["id"] };
    expect((await merchant.call("POST", "/api/v1/charges", request)).status).toBe(503);
    const id = String((await merchant.chargeOf(checkout))["id"]);
    expect(await world.attempt(id, "authorize")).toMatchObject({ calls: 1, without_cvc: true });
    expect(await run(id)).toMatchObject({ state: "settled" });
    expect(await world.charge(id)).toMatchObject({ status: "succeeded" });
    expect((await world.atAdyen(id)).payments).toHaveLength(1);
  });

  it("isn't sent by a process that has lost its claim", async () => {
    const { id } = await unknownPayment("down");
    const { context } = world.service;
    const attempt = await world.attempt(id, "authorize");
    await context.db.updateTable("attempt").set({ calls: 2 }).where("id", "=", attempt.id).execute();
    await sql`delete from vault.cvc`.execute(context.db);
    expect(await runClaimed(context, attempt)).toEqual({ state: "unknown" });
    expect(await world.attempt(id, "authorize")).toMatchObject({ without_cvc: false });
    expect(await world.atAdyen(id)).toMatchObject({ payments: [] });
  });
});

describe("a notification and a process that waits for the reply", () => {
  it("end the payment once", async () => {
    const { merchant, adyen } = world;
    const checkout = await merchant.checkout();
    await adyen.addFaults({ match: { kind: "authorization" }, fault: "late", ms: 1_000, times: 1 });
    const paid = checkout.pay(cardNumbers.approved);
    const id = await until("the payment to arrive", async () => {
      const [charge] = await merchant.list(`charges?session_id=${checkout.sessionId}`);
      const chargeId = charge === undefined ? null : String(charge["id"]);
      return chargeId !== null && (await world.atAdyen(chargeId)).payments.length === 1 ? chargeId : null;
    });
    expect((await world.report(id, "authorize")).reported).toBe("settled");
    expect((await paid).body["payment"]).toMatchObject({ status: "succeeded" });
    expect(await world.events(id)).toEqual(["payment.succeeded 1 succeeded"]);
    expect(await world.ledger(id)).toEqual(["capture 4900"]);
  });
});

describe("the verification of a card to save", () => {
  it("is sent again for nine minutes, and then fails without a reversal", async () => {
    const { merchant, adyen, service } = world;
    const checkout = await merchant.checkout({ mode: "setup" });
    await adyen.addFaults({ match: { kind: "authorization" }, fault: "down" });
    const paymentId = String((await checkout.pay(cardNumbers.approved)).body["payment"]?.["id"]);
    await adyen.clearFaults();
    const attempts = service.context.db.selectFrom("attempt").selectAll().where("decision_id", "=", paymentId);
    const { id } = await attempts.executeTakeFirstOrThrow();
    world.pass(9 * minute);
    await runAttempt(service.context, id, { wanted: true });
    const after = await attempts.execute();
    expect(after).toMatchObject([{ kind: "verify", status: "declined", decline_code: "processing_error" }]);
    expect(await checkout.session()).toMatchObject({ status: "open" });
    expect(await reportOutcome(service.context, after[0] as never, approved("LATE"))).toBe("known");
    expect(await attempts.execute()).toEqual(after);
  });
});
