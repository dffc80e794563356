/** Tests checkout sessions whose total is 0: completed without a payment, or with a card that is only verified. */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { setAccountStatus } from "../src/merchants/accounts/accounts.ts";
import { sweep } from "../src/worker.ts";
import { completeChallenge } from "./setup/at-the-bank.ts";
import { ledgerOf, readLedger } from "./setup/bank-ledger.ts";
import { cardNumbers, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { expectError, invalid, missing, type Refusal } from "./setup/expect-error.ts";
import { newMerchant, order, summarize } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { storedCards } from "./setup/vault-counts.ts";

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);

const sessions = "/api/v1/checkout_sessions";
const cups = { name: "Cup", amount: 2450, quantity: 2 };
const voucher = { name: "WELCOME", amount: 4900 };
const free = { amount: 0 };
const saving = { amount: 0, save_payment_method: true };
const badToken: Refusal = { status: 401, type: "authentication_error", code: "frame_token_invalid" };

const update = ({ sessionId }: Checkout, body: object) => merchant.call("PATCH", `${sessions}/${sessionId}`, body);
const chargesOf = ({ sessionId }: Checkout) => merchant.list(`charges?session_id=${sessionId}`);
const eventsOf = async ({ sessionId }: Checkout) => summarize(await merchant.events(sessionId));
/** What the page gets, as after a payment. */
const placed = ({ sessionId }: Checkout, attempts_left = 5) => ({
  payment: { id: sessionId, status: "succeeded" },
  session: { status: "complete", attempts_left },
});
const isComplete = { status: 200, body: { session: { status: "complete" } } };

describe("a session with a total of 0", () => {
  it("requires no payment", async () => {
    const checkout = await merchant.checkout({ ...free, line_items: [cups], discounts: [voucher] });
    const shown = { status: "open", payment_status: "no_payment_required", amount: 0, currency: "eur" };
    expect(checkout.opened).toMatchObject({ session: shown, payment: null });
    expect(await checkout.session()).toMatchObject({ ...shown, mode: "payment", attempts_left: 5 });
    expect((await merchant.list("checkout_sessions"))[0]).toMatchObject({ id: checkout.sessionId, ...shown });
  });

  it("is created once for one idempotency key", async () => {
    const create = (amount: number) =>
      merchant.call("POST", sessions, { ...order, amount }, { "idempotency-key": "free-order" });
    const created = await create(0);
    expect(created.body["session"]).toMatchObject({ amount: 0, payment_status: "no_payment_required" });
    expect((await create(0)).text).toBe(created.text);
    expect((await create(1)).status).toBe(422);
  });

  it("comes from a change, and requires a payment again after another one", async () => {
    const checkout = await merchant.checkout({ line_items: [cups] });
    const reduced = await update(checkout, { discounts: [voucher] });
    expect(reduced.body).toMatchObject({ amount: 0, version: 2, payment_status: "no_payment_required" });
    const raised = await update(checkout, { discounts: [] });
    expect(raised.body).toMatchObject({ amount: 4900, version: 3, payment_status: "unpaid" });
    await checkout.reopen();
    await checkout.pay(cardNumbers.approved);
    expect(await merchant.chargeOf(checkout)).toMatchObject({ amount: 4900, session_version: 3 });
    expect(await checkout.session()).toMatchObject({ payment_status: "paid" });
  });

  it("expires and is canceled like any other session", async () => {
    const [expiring, canceled] = [await merchant.checkout(free), await merchant.checkout(free)];
    const closed = await merchant.call("POST", `${sessions}/${expiring.sessionId}/expire`, {});
    expect(closed.body).toMatchObject({ status: "expired", payment_status: "no_payment_required" });
    expect(await eventsOf(expiring)).toEqual(["checkout_session.expired 1 expired"]);
    await merchant.call("POST", `${sessions}/${canceled.sessionId}/cancel`, {});
    for (const checkout of [expiring, canceled]) expectError(await checkout.complete(), invalid("session_closed"));
  });

  it("can't be charged", async () => {
    const checkout = await merchant.checkout(free);
    expectError(await checkout.pay(cardNumbers.approved), invalid("parameter_invalid", "card"));
    expect(await storedCards(service, checkout)).toEqual({ cards: 0, codes: 0 });
    expect(await checkout.complete()).toMatchObject(isComplete);
  });

  it.each([
    ["doesn't know it", free, {}, /version_claimed|needs_no_card/],
    ["doesn't know it and would save the card", saving, {}, "version_claimed"],
    ["only compares versions", free, { version_claimed_by: "dec_1" }, "needs_no_card"],
  ])("can't be charged by a process that %s", async (_what, order, claimed, constraint) => {
    const { sessionId } = await merchant.checkout(order);
    const session = service.context.db.updateTable("checkout_session").where("id", "=", sessionId);
    await expect(session.set({ payment_decision_id: "dec_1", ...claimed }).execute()).rejects.toThrow(constraint);
  });
});

describe("completing a session without a card", () => {
  it("ends it with an event, and moves no money", async () => {
    const checkout = await merchant.checkout({ ...free, metadata: { order_id: "7" }, confirmation: "server" });
    const before = await readLedger(service);
    const completed = await checkout.complete();
    const { encryption, ...rest } = completed.body;
    expect([completed.status, rest]).toEqual([200, placed(checkout)]);
    expect(encryption).toMatchObject({ key: { kty: "EC" }, nonce: expect.any(String) });

    const session = await checkout.session();
    expect(session).toMatchObject({
      status: "complete",
      payment_status: "no_payment_required",
      amount: 0,
      payment_method_id: null,
      decision_id: null,
      attempts_left: 5,
    });
    const events = await merchant.events(checkout.sessionId);
    expect(summarize(events)).toEqual(["checkout_session.completed 1 complete"]);
    expect(events).toMatchObject([{ data: { object: session }, request: { id: null, idempotency_key: null } }]);
    expect(await readLedger(service)).toEqual(before);
    expect(await chargesOf(checkout)).toEqual([]);
    expect((await checkout.reopen()).body).toMatchObject({
      session: { status: "complete", payment_status: "no_payment_required" },
      payment: null,
    });
  });

  it("can be repeated, and is final", async () => {
    const checkout = await merchant.checkout(free);
    await checkout.complete();
    expect(await checkout.complete()).toMatchObject({ status: 200, body: placed(checkout) });
    // As if the response had been lost.
    const again = await checkout.reopen("00000000-0000-4000-8000-000000000000");
    expect(again.body).toMatchObject({ received: false, payment: null, session: { status: "complete" } });
    expect(await checkout.complete()).toMatchObject({ status: 200, body: placed(checkout) });
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_closed"));
    expectError(await update(checkout, { amount: 4900 }), invalid("session_closed"));
    for (const end of ["expire", "cancel"])
      expectError(
        await merchant.call("POST", `${sessions}/${checkout.sessionId}/${end}`, {}),
        invalid("session_closed"),
      );
    service.moveClock(2 * 3_600_000);
    await sweep(service.context);
    expect(await eventsOf(checkout)).toEqual(["checkout_session.completed 1 complete"]);
  });

  it("happens once, even if several pages do it at once", async () => {
    const checkout = await merchant.checkout(free);
    const all = await Promise.all(Array.from({ length: 5 }, () => checkout.complete()));
    for (const one of all) expect(one).toMatchObject(isComplete);
    expect(await eventsOf(checkout)).toEqual(["checkout_session.completed 1 complete"]);
  });

  it("succeeds unless a change of the total at the same time does", async () => {
    for (let round = 0; round < 8; round++) {
      const checkout = await merchant.checkout(free);
      const change = () => update(checkout, { amount: 4900 });
      const early = round % 2 === 0 ? change() : null;
      const [completed, changed] = await Promise.all([checkout.complete(), early ?? change()]);
      const isFree = completed.status === 200;
      expectError(
        isFree ? changed : completed,
        isFree ? invalid("session_closed") : invalid("session_changed", "version"),
      );
      expect(await checkout.session()).toMatchObject(
        isFree ? { status: "complete", amount: 0, version: 1 } : { status: "open", amount: 4900, version: 2 },
      );
      expect(await eventsOf(checkout)).toEqual(isFree ? ["checkout_session.completed 1 complete"] : []);
    }
  });

  it("is refused for an order that the customer hasn't seen, even if it's free, too", async () => {
    const checkout = await merchant.checkout({ ...free, line_items: [cups], discounts: [voucher] });
    await update(checkout, { line_items: [{ ...cups, name: "Mug" }] });
    for (const version of [1, 3])
      expectError(await checkout.complete({ version }), invalid("session_changed", "version"));
    await checkout.reopen();
    expect(await checkout.complete()).toMatchObject(isComplete);
  });

  it("is refused in an earlier round", async () => {
    const checkout = await merchant.checkout(free);
    await checkout.reopen("00000000-0000-4000-8000-000000000000");
    expectError(await checkout.complete({ payment_round: 0 }), invalid("card_message_stale", "payment_round"));
    expect(await checkout.complete()).toMatchObject(isComplete);
  });

  it.each([
    ["isn't free", {}],
    ["saves the card", saving],
    ["only saves a card", { mode: "setup", amount: 0 }],
  ])("is refused for a session that %s", async (_name, more) => {
    const checkout = await merchant.checkout(more);
    expectError(await checkout.complete(), invalid("parameter_missing", "card"));
    expect(await checkout.session()).toMatchObject({ status: "open" });
  });

  it("is refused during and after a payment", async () => {
    const checkout = await merchant.checkout();
    const { id } = await payUpToChallenge(checkout);
    expectError(await checkout.complete(), invalid("session_payment_in_progress"));
    await checkout.cancel(id);
    await checkout.pay(cardNumbers.approved);
    expectError(await checkout.complete(), invalid("session_closed"));
  });

  it("is refused once its time is over", async () => {
    const checkout = await merchant.checkout({ ...free, expires_after_minutes: 5 });
    service.moveClock(5 * 60_000);
    expectError(await checkout.complete(), invalid("session_closed"));
    await sweep(service.context);
    expect(await eventsOf(checkout)).toEqual(["checkout_session.expired 1 expired"]);
  });

  it("is refused for a page of another session, or with a replaced URL", async () => {
    const [checkout, other] = [await merchant.checkout(free), await merchant.checkout(free)];
    const shown = { payment_round: 0, version: 1 };
    const path = `/frame/sessions/${checkout.sessionId}/complete`;
    expectError(await service.frame("POST", path, shown, other.token), missing);
    expectError(await service.frame("POST", path, shown), badToken);
    for (const name of ["payment_round", "version"])
      expectError(await checkout.complete({ [name]: undefined }), invalid("parameter_missing", name));
    await merchant.call("POST", `${sessions}/${checkout.sessionId}/embed_url`, {});
    expectError(await checkout.complete({ payment_round: 1 }), badToken);
    expect(await checkout.session()).toMatchObject({ status: "open" });
  });

  it("is refused while the account is suspended", async () => {
    const suspended = await newMerchant(service);
    const checkout = await suspended.checkout(free);
    const { db, now } = service.context;
    await setAccountStatus(db, suspended.accountId, "suspended", now(), "test");
    expectError(await checkout.complete(), invalid("session_closed"));
    await setAccountStatus(db, suspended.accountId, "active", now(), "test");
    expect(await checkout.complete()).toMatchObject(isComplete);
  });
});

describe("a session with a total of 0 that saves the card", () => {
  it.each(["automatic", "server"])("verifies it and charges nothing, with confirmation %s", async (confirmation) => {
    const checkout = await merchant.checkout({ ...saving, confirmation });
    const { payment } = (await checkout.pay(cardNumbers.approved)).body;
    expect(payment).toEqual({ id: expect.stringMatching(/^dec_/), status: "succeeded" });
    const id = String(payment?.["id"]);
    expect(await ledgerOf(service, id)).toMatchObject({
      authorizations: [{ status: "approved", amount: 0, captured: false, requests: 1 }],
    });
    expect(await chargesOf(checkout)).toEqual([]);
    const session = await checkout.session();
    expect(session).toMatchObject({
      status: "complete",
      payment_status: "no_payment_required",
      payment_method_id: expect.stringMatching(/^pm_/),
      decision_id: null,
    });
    const events = await merchant.events(checkout.sessionId);
    expect(summarize(events)).toEqual(["checkout_session.completed 1 complete"]);
    expect(events[0]?.["data"]?.["object"]).toEqual(session);
    expect((await checkout.reopen()).body).toMatchObject({ payment: { id, status: "succeeded" } });
    expect((await merchant.charge(String(session["payment_method_id"]))).body).toMatchObject({ status: "succeeded" });
  });

  it("shows no payment method to charge before the card is verified", async () => {
    const checkout = await merchant.checkout({ ...saving, confirmation: "server" });
    await payUpToChallenge(checkout);
    const { sessionId } = checkout;
    await service.context.db
      .updateTable("decision")
      .set({ status: "approved" })
      .where("session_id", "=", sessionId)
      .execute();
    expect(await checkout.session()).toMatchObject({ payment_method_id: null, decision_id: null });
  });

  it("stores nothing of a declined card, and accepts another one", async () => {
    const checkout = await merchant.checkout(saving);
    expect((await checkout.pay(cardNumbers.insufficientFunds)).body).toMatchObject({
      payment: { status: "declined", reason: "insufficient_funds", retryable: true },
      session: { status: "open", attempts_left: 4 },
    });
    expect(await storedCards(service, checkout)).toEqual({ cards: 0, codes: 0 });
    expect(await checkout.session()).toMatchObject({ payment_status: "no_payment_required" });
    expect(await chargesOf(checkout)).toEqual([]);
    expect(await merchant.events(checkout.sessionId)).toEqual([]);
    expectError(await checkout.complete(), invalid("parameter_missing", "card"));
    await checkout.pay(cardNumbers.approved);
    expect(await checkout.session()).toMatchObject({ status: "complete", attempts_left: 4 });
  });

  it("ends with the fifth decline", async () => {
    const checkout = await merchant.checkout(saving);
    for (let left = 5; left > 0; left--) await checkout.pay(cardNumbers.declined);
    expect(await checkout.session()).toMatchObject({ status: "expired", attempts_left: 0 });
    expect(await eventsOf(checkout)).toEqual(["checkout_session.expired 1 expired"]);
  });

  it("authenticates the customer, and can't change meanwhile", async () => {
    const checkout = await merchant.checkout(saving);
    const { id, payment } = await payUpToChallenge(checkout);
    expectError(await update(checkout, { amount: 4900 }), invalid("session_payment_in_progress"));
    expectError(await checkout.complete(), invalid("session_payment_in_progress"));
    await completeChallenge(service, payment, { code: "111111" });
    await until("the session to end", async () =>
      String((await checkout.session())["status"]) === "complete" ? true : null,
    );
    expect((await ledgerOf(service, id)).authorizations).toMatchObject([{ amount: 0, authenticated: true }]);
    expect(await merchant.read(`decisions/${id}`)).toMatchObject({ status: "consumed", amount: 0, charge_id: null });
  });

  it("charges the customer after a failed challenge if it isn't free anymore", async () => {
    const checkout = await merchant.checkout(saving);
    const { id, payment } = await payUpToChallenge(checkout);
    await completeChallenge(service, payment, { code: "222222" });
    await until("the failure", async () => (Number((await checkout.session())["attempts_left"]) === 4 ? true : null));
    expect((await checkout.payment(id)).body).toMatchObject({ payment: { reason: "authentication_failed" } });
    expect(await chargesOf(checkout)).toEqual([]);

    expect((await update(checkout, { amount: 4900 })).body).toMatchObject({ payment_status: "unpaid" });
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_changed", "version"));
    await checkout.reopen();
    await checkout.pay(cardNumbers.approved);
    expect(await merchant.chargeOf(checkout)).toMatchObject({ amount: 4900, status: "succeeded" });
  });

  it("verifies the card after a decline of a payment, once it's free", async () => {
    const checkout = await merchant.checkout({ save_payment_method: true });
    await checkout.pay(cardNumbers.declined);
    await update(checkout, free);
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_changed", "version"));
    await checkout.reopen();
    const { payment } = (await checkout.pay(cardNumbers.approved)).body;
    expect((await ledgerOf(service, String(payment?.["id"]))).authorizations).toMatchObject([{ amount: 0 }]);
    expect(await chargesOf(checkout)).toMatchObject([{ status: "failed", amount: 4900 }]);
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "no_payment_required" });
  });
});
