/**
 * Tests that a refused request has no partial effect. It sends every kind of invalid money request for objects in every
 * state. After each refusal, every row of every table and the acquirer's records are unchanged.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { readLedger } from "./setup/bank-ledger.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { everyState, type EveryState } from "./setup/every-state.ts";
import { expectError, invalid, missing, type Refusal } from "./setup/expect-error.ts";
import { newMerchant, order } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";

const hourMs = 60 * 60_000;

// No worker ends what waits, and the bank waits for its customer for as long as these tests run.
const service = await openForTests(startTestService({ role: "api", bankWaits: { creqWithinMs: hourMs } }));
const merchant = await newMerchant(service);
const objects = await everyState(service, merchant);

/** Everything stored anywhere, except when keys were last used and who sent requests. */
async function everything(): Promise<string> {
  const dump = await dumpDatabase(service.context.db);
  const lines = dump.split("\n").filter((line) => !/^public\.(api_key|request_log)/.test(line));
  expect(lines.length).toBeGreaterThan(100);
  return `${lines.toSorted().join("\n")}\n${JSON.stringify(await readLedger(service))}`;
}

type Row = { what: string; path: (o: EveryState) => string; body: (o: EveryState) => unknown; refusal: Refusal };
type Of<T> = (o: EveryState) => T;
type State = keyof EveryState;

const api = "/api/v1";
const visa = { ...order, payment_method_id: "pm_card_visa" };
const waiting = "pm_card_three_d_secure_required";
const item = { name: "Cup", amount: 1, quantity: 1 };
const riskRejected: Refusal = { status: 402, type: "card_error", code: "card_declined", decline_code: "risk_rejected" };
const noAmount = invalid("amount_invalid", "amount");
const noCurrency = invalid("currency_unknown", "currency");
const malformed = invalid("body_malformed");
const tooLarge = invalid("amount_too_large", "amount");
const notRefundable = invalid("charge_not_refundable", "charge_id");
const notReusable = invalid("payment_method_not_reusable", "payment_method_id");
const missingDecision = invalid("resource_missing", "decision_id");
const mismatch = invalid("decision_mismatch", "decision_id");
const invalidParam = (param: string) => invalid("parameter_invalid", param);
const unknownParam = (param: string) => invalid("parameter_unknown", param);

/** A charge request that is valid except for `wrong`. */
function charge(what: string, wrong: Of<object | string>, refusal: Refusal): Row {
  const right = (o: EveryState) => ({ ...visa, decision_id: o.approved });
  const body = (o: EveryState) => {
    const change = wrong(o);
    return typeof change === "string" ? change : { ...right(o), ...change };
  };
  return { what: `a charge ${what}`, path: () => `${api}/charges`, body, refusal };
}

function captureOf(state: State, what: string, body: unknown, refusal: Refusal): Row {
  return { what: `a capture ${what}`, path: (o) => `${api}/charges/${o[state]}/capture`, body: () => body, refusal };
}

function cancelOf(state: State, what: string, body: unknown, refusal: Refusal): Row {
  return {
    what: `a cancellation ${what}`,
    path: (o) => `${api}/charges/${o[state]}/cancel`,
    body: () => body,
    refusal,
  };
}

function refundOf(state: State, what: string, more: object, refusal: Refusal): Row {
  return {
    what: `a refund ${what}`,
    path: () => `${api}/refunds`,
    body: (o) => ({ charge_id: o[state], ...more }),
    refusal,
  };
}

function endOf(state: State, how: "expire" | "cancel", what: string, body: unknown, refusal: Refusal): Row {
  const path = (o: EveryState) => `${api}/checkout_sessions/${o[state]}/${how}`;
  return { what: `a cancellation of a session ${what}`, path, body: () => body, refusal };
}

function other(what: string, path: string | Of<string>, body: unknown, refusal: Refusal): Row {
  return {
    what,
    path: typeof path === "string" ? () => `${api}/${path}` : path,
    body: (o) => (typeof body === "function" ? (body as Of<unknown>)(o) : body), // every function in the table is an Of
    refusal,
  };
}

const rows: Row[] = [
  other("a charge without any fields", "charges", {}, invalid("parameter_missing", "amount")),
  other("a charge without a decision", "charges", visa, invalid("parameter_missing", "decision_id")),
  charge("with a decision that is null", () => ({ decision_id: null }), invalidParam("decision_id")),
  charge("with a decision that is empty", () => ({ decision_id: "" }), invalidParam("decision_id")),
  charge("with a list of decisions", (o) => ({ decision_id: [o.approved] }), invalidParam("decision_id")),
  charge("of nothing", () => ({ amount: 0 }), noAmount),
  charge("of a negative amount", () => ({ amount: -4900 }), noAmount),
  charge("of a fraction of a cent", () => ({ amount: 0.5 }), noAmount),
  charge("of text", () => ({ amount: "4900" }), noAmount),
  charge("of null", () => ({ amount: null }), noAmount),
  charge("of an array", () => ({ amount: [4900] }), noAmount),
  charge("of true", () => ({ amount: true }), noAmount),
  charge("of more than the maximum", () => ({ amount: 1e12 }), noAmount),
  charge("in an invalid currency", () => ({ currency: "zzz" }), noCurrency),
  charge("in capitals", () => ({ currency: "EUR" }), noCurrency),
  charge("captured somehow", () => ({ capture_method: "later" }), invalidParam("capture_method")),
  charge("with null as capture method", () => ({ capture_method: null }), invalidParam("capture_method")),
  charge("with a field too many", () => ({ captured: true }), unknownParam("captured")),
  charge("with metadata that is no text", () => ({ metadata: { a: 1 } }), invalidParam("metadata.a")),
  charge("of more than its decision", () => ({ amount: 4901 }), mismatch),
  charge("in another currency", () => ({ currency: "usd" }), mismatch),
  charge("with another payment method", (o) => ({ payment_method_id: o.savedCard }), mismatch),
  charge("with an unknown payment method", () => ({ payment_method_id: "pm_none" }), mismatch),
  charge("with no decision of that name", () => ({ decision_id: "dec_none" }), missingDecision),
  charge("with a session for a decision", (o) => ({ decision_id: o.waiting }), missingDecision),
  charge(
    "with a used decision",
    (o) => ({ decision_id: o.consumed }),
    invalid("decision_already_consumed", "decision_id"),
  ),
  charge("with an old decision", (o) => ({ decision_id: o.old }), invalid("decision_expired", "decision_id")),
  charge(
    "with a decision that waits",
    (o) => ({ payment_method_id: waiting, decision_id: o.waits }),
    invalid("decision_not_approved", "decision_id"),
  ),
  charge(
    "during a challenge",
    (o) => ({ payment_method_id: o.challengedCard, decision_id: o.challenge }),
    invalid("decision_not_approved", "decision_id"),
  ),
  charge(
    "with a declined decision",
    (o) => ({ payment_method_id: o.savedCard, decision_id: o.declined }),
    riskRejected,
  ),
  charge("by null", () => "null", malformed),
  charge(
    "that repeats its amount",
    (o) => JSON.stringify({ ...visa, decision_id: o.approved }).replace("{", '{"amount":1,'),
    malformed,
  ),
  charge(
    "under __proto__",
    (o) => JSON.stringify({ ...visa, decision_id: o.approved }).replace("{", '{"__proto__":{},'),
    malformed,
  ),

  captureOf("authorized", "of more than was reserved", { amount: 4901 }, tooLarge),
  captureOf("authorized", "of nothing", { amount: 0 }, noAmount),
  captureOf("authorized", "of a negative amount", { amount: -1 }, noAmount),
  captureOf("authorized", "of a fraction of a cent", { amount: 1.5 }, noAmount),
  captureOf("authorized", "of text", { amount: "100" }, noAmount),
  captureOf("authorized", "of null", { amount: null }, noAmount),
  captureOf("authorized", "with a currency", { amount: 100, currency: "eur" }, unknownParam("currency")),
  captureOf("authorized", "with an array as body", [100], malformed),
  captureOf("authorized", "by null", "null", malformed),
  captureOf("authorized", "that repeats its amount", '{"amount":1,"amount":4900}', malformed),
  captureOf("busy", "while another operation is in progress", {}, invalid("charge_operation_in_progress")),
  captureOf("canceled", "of a canceled charge", {}, invalid("charge_not_capturable")),
  captureOf("captured", "for the second time", { amount: 1 }, invalid("charge_not_capturable")),
  captureOf("refunded", "of a refunded charge", {}, invalid("charge_not_capturable")),
  captureOf("failed", "of a failed charge", {}, invalid("charge_not_capturable")),
  captureOf("processing", "of a charge of unknown outcome", {}, invalid("charge_not_capturable")),
  captureOf("waiting", "of a session", {}, missing),
  other("a capture of an unknown charge", "charges/ch_none/capture", {}, missing),

  cancelOf("authorized", "with an amount", { amount: 100 }, unknownParam("amount")),
  cancelOf("authorized", "by text", '"cancel"', malformed),
  cancelOf("busy", "while another operation is in progress", {}, invalid("charge_operation_in_progress")),
  cancelOf("canceled", "for the second time", {}, invalid("charge_not_cancelable")),
  cancelOf("captured", "of a captured charge", {}, invalid("charge_not_cancelable")),
  cancelOf("failed", "of a failed charge", {}, invalid("charge_not_cancelable")),
  other("a cancellation of an unknown charge", "charges/ch_none/cancel", {}, missing),

  other("a refund without any fields", "refunds", {}, invalid("parameter_missing", "charge_id")),
  other("a refund of an unknown charge", "refunds", { charge_id: "ch_none" }, invalid("resource_missing", "charge_id")),
  other("a refund with null as charge ID", "refunds", { charge_id: null }, invalidParam("charge_id")),
  refundOf("consumed", "of a decision", {}, invalid("resource_missing", "charge_id")),
  refundOf("captured", "of zero", { amount: 0 }, noAmount),
  refundOf("captured", "of a negative amount", { amount: -1 }, noAmount),
  refundOf("captured", "of a fraction of a cent", { amount: 0.5 }, noAmount),
  refundOf("captured", "of text", { amount: "1" }, noAmount),
  refundOf("captured", "of more than was captured", { amount: 1001 }, tooLarge),
  refundOf("refunded", "of a fully refunded charge", {}, notRefundable),
  refundOf("refunded", "of one cent of a fully refunded charge", { amount: 1 }, notRefundable),
  refundOf("authorized", "of a reserved charge", {}, notRefundable),
  refundOf("canceled", "of a canceled charge", {}, notRefundable),
  refundOf("failed", "of a failed charge", {}, notRefundable),
  refundOf("processing", "of a charge of unknown outcome", {}, notRefundable),
  refundOf("captured", "with an empty reason", { reason: "" }, invalidParam("reason")),
  refundOf("captured", "with a reason that is too long", { reason: "x".repeat(501) }, invalidParam("reason")),
  refundOf("captured", "with a currency", { currency: "eur" }, unknownParam("currency")),
  other(
    "a refund that repeats its amount",
    "refunds",
    (o: EveryState) => `{"charge_id":"${o.captured}","amount":1,"amount":2}`,
    malformed,
  ),

  other("a decision for a zero amount", "decisions", { ...visa, amount: 0 }, noAmount),
  other("a decision in an invalid currency", "decisions", { ...visa, currency: "xxx" }, noCurrency),
  other(
    "a decision about an unknown card",
    "decisions",
    { ...visa, payment_method_id: "pm_none" },
    invalid("resource_missing", "payment_method_id"),
  ),
  other(
    "a decision about an unsaved card",
    "decisions",
    (o: EveryState) => ({ ...order, payment_method_id: o.unsavedCard }),
    notReusable,
  ),
  other(
    "a decision about a detached card",
    "decisions",
    (o: EveryState) => ({ ...order, payment_method_id: o.detachedCard }),
    notReusable,
  ),
  other(
    "a decision with a session",
    "decisions",
    (o: EveryState) => ({ ...visa, session_id: o.waiting }),
    unknownParam("session_id"),
  ),
  other("a detachment of an unknown card", "payment_methods/pm_none/detach", {}, missing),
  other("a detachment of a test card", "payment_methods/pm_card_visa/detach", {}, missing),
  other(
    "a detachment with an unknown field",
    (o) => `${api}/payment_methods/${o.savedCard}/detach`,
    { force: true },
    unknownParam("force"),
  ),

  other("a session for a negative amount", "checkout_sessions", { ...order, amount: -1 }, noAmount),
  other(
    "a session without an amount",
    "checkout_sessions",
    { currency: "eur" },
    invalid("parameter_missing", "amount"),
  ),
  other(
    "a session that uses text as a boolean",
    "checkout_sessions",
    { ...order, save_payment_method: "true" },
    invalidParam("save_payment_method"),
  ),
  other(
    "a session whose line items have another total",
    "checkout_sessions",
    { ...order, line_items: [item] },
    invalidParam("line_items"),
  ),
  other(
    "a setup session with a capture method",
    "checkout_sessions",
    { mode: "setup", capture_method: "manual" },
    invalidParam("capture_method"),
  ),
  other(
    "a setup session with line items",
    "checkout_sessions",
    { mode: "setup", line_items: [item] },
    invalidParam("line_items"),
  ),
  other(
    "a setup session with confirmation by the server",
    "checkout_sessions",
    { mode: "setup", confirmation: "server" },
    invalidParam("confirmation"),
  ),
  other("a cancellation of an unknown session", "checkout_sessions/cs_none/cancel", {}, missing),
  endOf("waiting", "cancel", "that waits for its charge", {}, invalid("session_payment_in_progress")),
  endOf("challenged", "expire", "during a challenge", {}, invalid("session_payment_in_progress")),
  endOf("paid", "cancel", "that is paid", {}, invalid("session_closed")),
  endOf("expired", "expire", "that has expired", {}, invalid("session_closed")),
  endOf("ended", "cancel", "that was canceled", {}, invalid("session_closed")),
  endOf("waiting", "expire", "with a reason", { reason: "x" }, unknownParam("reason")),
];

describe("a refused request", () => {
  it.each(rows)("changes nothing: $what", async ({ path, body, refusal }) => {
    const before = await everything();
    expectError(await merchant.call("POST", path(objects), body(objects)), refusal);
    expect(await everything()).toBe(before);
  });

  it("leaves previously valid requests working (control)", async () => {
    const right: [string, object][] = [
      ["charges", { ...visa, decision_id: objects.approved }],
      [`charges/${objects.authorized}/capture`, { amount: 4900 }],
      ["refunds", { charge_id: objects.captured, amount: 1000 }],
      ["decisions", { ...order, payment_method_id: objects.savedCard }],
      [`payment_methods/${objects.savedCard}/detach`, {}],
    ];
    for (const [path, body] of right) {
      const before = await everything();
      expect((await merchant.call("POST", `${api}/${path}`, body)).status).toBe(200);
      expect(await everything()).not.toBe(before);
    }
    expect(rows.length).toBeGreaterThanOrEqual(60);
  });
});
