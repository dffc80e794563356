import { beforeEach, describe, expect, it, vi } from "vitest";
import { refused, unreachable } from "../../test/fake-service.ts";
import {
  card,
  createFlowTest,
  declined,
  open,
  pay,
  poll,
  processing,
  refreshToEnd,
  succeeded,
} from "../../test/flow-test.ts";
import type { FlowTest } from "../../test/flow-test.ts";

let t: FlowTest;
beforeEach(async () => {
  t = await createFlowTest();
});

it.each([
  ["none", null, false],
  ["one that succeeded", succeeded, false],
  ["one that was declined", declined(), false],
  ["one in progress", processing, true],
])("says whether a payment is in progress when the session is opened with %s", async (_what, payment, isPending) => {
  const opened: boolean[] = [];
  t.flow.onOpened((_session, isPaymentPending) => opened.push(isPaymentPending));
  t.service.on(open, t.service.session({}, payment));
  t.service.on(poll, t.service.payment(succeeded));
  await t.flow.begin();
  expect(opened).toEqual([isPending]);
});

describe("a session that is over", () => {
  it.each([
    ["expired", { code: "session_expired" }],
    ["canceled", { code: "session_invalid", isPaymentPending: false }],
  ] as const)("is shown as %s", async (status, error) => {
    t.service.on(open, t.service.session({ status }));
    await t.flow.begin();
    expect(t.page.main.dataset["result"]).toBe(status);
    expect(t.events).toEqual([["error", error]]);
  });

  it("reports that the time ran out while the page was closed", async () => {
    t.given.nowMs = 1_001_000;
    t.service.on(open, t.service.session({ status: "expired", expires_at: 1_000 }));
    await t.flow.begin();
    expect(t.page.main.dataset["result"]).toBe("expired");
    expect(t.events).toEqual([["expire", {}]]);
  });

  it("stays an error after five failed attempts, even after its time is over", async () => {
    t.given.nowMs = 1_001_000;
    t.service.on(open, t.service.session({ status: "expired", expires_at: 1_000, attempts_left: 0 }));
    await t.flow.begin();
    expect(t.events).toEqual([["error", { code: "session_expired" }]]);
  });

  it("is shown as paid to the customer and the host page if it was paid", async () => {
    t.service.on(open, t.service.session({ status: "complete", payment_status: "paid" }, succeeded));
    await t.flow.begin();
    expect(t.page.main.dataset["result"]).toBe("succeeded");
    expect(t.names()).toEqual(["complete"]);
  });

  it("sends the customer back to the shop if the secret is wrong", async () => {
    t.service.on(open, refused("client_secret_invalid", 401));
    await t.flow.begin();
    expect(t.page.main.dataset["result"]).toBe("invalid");
  });

  it("isn't paid once its URL was replaced, and the host page learns that nothing was sent", async () => {
    await t.flow.begin();
    t.service.on(pay, refused("frame_token_invalid", 401));
    t.service.on(open, refused("client_secret_invalid", 401));
    await expect(t.flow.pay(card)).resolves.toMatchObject({ type: "decline", code: "try_again" });
    expect(t.names()).toEqual(["submit", "decline", "error"]);
    expect(t.events.at(-1)).toEqual(["error", { code: "session_invalid" }]);
    expect(t.page.main.dataset["result"]).toBe("invalid");
  });

  it("may have been paid if its URL was replaced after a request without a response", async () => {
    await t.flow.begin();
    t.service.on(pay, unreachable);
    t.service.on(open, refused("client_secret_invalid", 401));
    await t.flow.pay(card);
    expect(t.page.main.dataset["result"]).toBe("unknown");
    expect(t.events.at(-1)).toEqual(["error", { code: "network" }]);
  });

  it("may still be paid if its URL was replaced while the payment is followed", async () => {
    await t.flow.begin();
    t.service.on(pay, t.service.payment(processing));
    t.service.on(poll, refused("frame_token_invalid", 401));
    t.service.on(open, refused("client_secret_invalid", 401));
    await t.flow.pay(card);
    await vi.waitUntil(() => !t.flow.isBusy());
    expect(t.page.main.dataset["result"]).toBe("unknown");
  });

  it("wasn't paid if the order changed before its URL was replaced, and the host page learns that", async () => {
    await t.flow.begin();
    t.service.on(pay, refused("session_changed"));
    t.service.on(open, unreachable, refused("client_secret_invalid", 401));
    await expect(t.flow.pay(card)).resolves.toEqual({ type: "session_changed" });
    expect(t.names()).toEqual(["submit", "decline", "error"]);
  });

  it("may be paid in another tab after a final decline if its URL was replaced, so the decline isn't reported", async () => {
    await t.flow.begin();
    t.service.on(pay, t.service.payment(declined({ retryable: false }), { status: "complete" }));
    t.service.on(open, refused("client_secret_invalid", 401));
    await t.flow.pay(card);
    expect(t.names()).not.toContain("decline");
  });

  it("shows a payment in progress in another tab", async () => {
    await t.flow.begin();
    t.service.on(pay, refused("session_payment_in_progress"));
    t.service.on(open, t.service.session({ payment_status: "processing" }, processing));
    t.service.on(poll, t.service.payment(succeeded));
    await t.flow.pay(card);
    await vi.waitFor(() => expect(t.page.main.dataset["result"]).toBe("succeeded"));
    expect(t.names()).not.toContain("decline");
  });

  it("renews a token that the service forgot, and repeats the call", async () => {
    await t.flow.begin();
    t.service.on(pay, refused("frame_token_invalid", 401), t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.service.paths()).toEqual([open, pay, open, pay]);
    expect(t.page.main.dataset["result"]).toBe("succeeded");
  });
});

describe("a session that ends while the form is shown", () => {
  const endsAt = 1_000;
  beforeEach(async () => {
    t.service.on(open, t.service.session({ expires_at: endsAt }));
    await t.flow.begin();
    t.fields.fill(card.number, "1234", card.cvc);
    t.given.nowMs = endsAt * 1000 + 1000;
  });

  it("reports and shows that its time is over", async () => {
    t.service.on(open, t.service.session({ expires_at: endsAt, status: "expired" }));
    await refreshToEnd(t);
    expect(t.events).toEqual([["expire", {}]]);
    expect(t.page.main.dataset["result"]).toBe("expired");
    expect([t.page.number.value, t.page.cvc.value]).toEqual(["", ""]);
  });

  it("continues if the service says so, because this clock was wrong", async () => {
    await refreshToEnd(t);
    expect(t.events).toEqual([]);
    expect(t.shown()).toBe("form");
  });

  it("is an error after five failed attempts, which renewing doesn't fix", async () => {
    t.service.on(open, t.service.session({ expires_at: endsAt, status: "expired", attempts_left: 0 }));
    await refreshToEnd(t);
    expect(t.events).toEqual([["error", { code: "session_expired" }]]);
    expect(t.page.main.dataset["result"]).toBe("ended");
  });

  it("is an error if the shop canceled it, which renewing doesn't fix", async () => {
    t.given.nowMs = 0;
    t.service.on(open, t.service.session({ expires_at: endsAt, status: "expired" }));
    await refreshToEnd(t);
    expect(t.events).toEqual([["error", { code: "session_expired" }]]);
  });

  it("isn't checked while a payment is in progress, and expires when that payment is declined", async () => {
    t.service.on(pay, t.service.payment(processing));
    t.service.on(poll, t.service.payment(declined({ retryable: false }), { status: "expired", attempts_left: 4 }));
    const opened = t.service.paths().length;
    t.atWaits.push(() => void t.flow.refresh());
    await t.flow.pay(card);
    expect(t.service.paths().slice(opened)).toEqual([pay, poll]);
    expect(t.names()).toEqual(["submit", "decline", "expire"]);
    expect(t.page.main.dataset["result"]).toBe("expired");
  });

  it("reports an error after the fifth decline", async () => {
    t.service.on(pay, t.service.payment(declined({ retryable: false }), { status: "expired", attempts_left: 0 }));
    await t.flow.pay(card);
    expect(t.names()).toEqual(["submit", "decline", "error"]);
    expect(t.events.at(-1)).toEqual(["error", { code: "session_expired" }]);
    expect(t.page.main.dataset["result"]).toBe("ended");
  });
});
