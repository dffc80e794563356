import { describe, expect, it } from "vitest";
import type { Payment } from "../packages/sandbox/src/adyen/payment.ts";
import { fromAdyen } from "./acquirer-records.ts";
import { reconcile, type Sent } from "./reconcile.ts";
import type { Records } from "./records.ts";

const at = "2026-06-01T00:00:00Z";
const amount = 10_000;

/** A payment with a partial refund, on which our records and the acquirer agree. */
function agreeing() {
  const entry = { account: "merchant", currency: "EUR", at } as const;
  const modification = { pspReference: "PSP2", reference: "att_2", state: "done" } as const;
  const payment: Payment = {
    pspReference: "PSP1",
    merchantReference: "att_1",
    amount: { value: amount, currency: "EUR" },
    brand: "visa",
    last4: "4242",
    refuses: {},
    entries: [
      { ...entry, account: "reserved", type: "authorized", value: amount, pspReference: "PSP1" },
      { ...entry, account: "reserved", type: "captured", value: -amount, pspReference: "PSP1" },
      { ...entry, type: "captured", value: amount, pspReference: "PSP1" },
      { ...entry, type: "refunded", value: -3_000, pspReference: "PSP2" },
    ],
    modifications: [{ ...modification, kind: "refund", amount: { value: 3_000, currency: "EUR" } }],
  };
  const attempt = { charge_id: "ch_1", refund_id: null as string | null, status: "approved", accepted_at: null };
  const reply = { decline_code: null as string | null, refusal_code: null };
  const times = { created_at: new Date(at), first_called_at: new Date(at), finished_at: new Date(at) as Date | null };
  const done = { ...attempt, ...reply, ...times, is_step_up: false, next_call_at: new Date(at) };
  const entered = { charge_id: "ch_1", currency: "eur", created_at: new Date(at) };
  const version = {
    line_items: [{ name: "Goods", amount: 12_000, quantity: 1 }],
    shipping_options: [],
    shipping_option: null,
    tax_amount: null,
  };
  const records = {
    charges: [
      {
        id: "ch_1",
        status: "succeeded",
        amount,
        amount_captured: amount,
        amount_refunded: 3_000,
        amount_refunding: 0,
        decision_id: "dec_1",
        session_id: "cs_1",
        session_version: 2,
        busy_attempt_id: null as string | null,
        pending_operation: null as string | null,
      },
    ],
    refunds: [{ id: "re_1", charge_id: "ch_1", status: "succeeded", amount: 3_000 }],
    attempts: [
      { ...done, id: "att_1", kind: "authorize", amount, acquirer_id: "PSP1" },
      { ...done, id: "att_2", kind: "refund", amount: 3_000, acquirer_id: "PSP2", refund_id: "re_1" },
    ],
    sessions: [
      {
        id: "cs_1",
        mode: "payment",
        status: "complete",
        payment_status: "paid",
        version: 2,
        payment_decision_id: "dec_1" as string | null,
        promotion_code_entries: 1,
        promotion_codes_without_effect: 0,
        ...version,
        amount,
        discounts: [{ name: "SPRING", amount: 2_000 }],
      },
    ],
    versions: [{ session_id: "cs_1", version: 1, ...version, amount: 12_000, discounts: [] as object[] }],
    entries: [
      { ...entered, attempt_id: "att_1", kind: "capture", amount },
      { ...entered, attempt_id: "att_2", kind: "refund", amount: -3_000 },
    ],
    disputes: [] as object[],
    attention: [] as object[],
    events: [
      {
        type: "payment.succeeded",
        object_id: "ch_1",
        object_sequence: 1,
        object: { status: "succeeded", amount_captured: amount },
      },
      { type: "checkout_session.update_requested", object_id: "cs_1", object_sequence: 1, object: {} },
      { type: "refund.succeeded", object_id: "re_1", object_sequence: 1, object: { status: "succeeded" } },
    ],
    notifications: [{ id: "PSP1:AUTHORISATION:true", status: "processed" }],
  };
  const order = {
    number: 1,
    amount,
    pressed: new Map([[2, amount]]),
    decisions: new Set(["dec_1"]),
    sessions: new Set<string>(),
  };
  return {
    payment,
    records,
    order,
    recordsDeclines: false,
    accepted: new Set(["PSP1:AUTHORISATION:true"]),
    sent: new Map<string, Sent[]>(),
    canceled: new Set<string>() as Set<string> | null,
    errors: [] as string[],
  };
}

type Situation = ReturnType<typeof agreeing>;

function differencesIn({ payment, records, order, ...evidence }: Situation): string[] {
  return reconcile(
    { ...evidence, payments: [fromAdyen(payment)], orders: [order], workersPaused: false },
    records as unknown as Records, // the columns that it reads
  );
}

const failure = {
  charge_id: "ch_1",
  currency: "eur",
  created_at: new Date(at),
  attempt_id: "att_2",
  kind: "refund_failed",
  amount: 3_000,
};
const lost: Sent = { atMs: Date.parse(at), reply: null, process: null };
const open = { kind: "outcome_unknown", subject: "att_2", attempt_id: "att_2", charge_id: "ch_1", resolved_at: null };
const first = <T>([item]: T[]): T => {
  if (item === undefined) throw new Error("Bug: the list is empty");
  return item;
};

const cases: [difference: string, change: (situation: Situation) => void][] = [
  ["ledgersAgree: the ledger of ch_1 has 10000 eur", ({ records }) => records.entries.pop()],
  [
    "attemptsAgree: the acquirer has the authorization att_9, which isn't an attempt",
    ({ payment }) => (payment.merchantReference = "att_9"),
  ],
  [
    "attemptsAgree: the acquirer has the capture att_9, which isn't an attempt",
    ({ payment }) =>
      payment.modifications.push({ ...first(payment.modifications), kind: "capture", reference: "att_9" }),
  ],
  [
    "attemptsAgree: the acquirer processed the refund att_2 2 times",
    ({ payment }) => payment.modifications.push({ ...first(payment.modifications), pspReference: "PSP3" }),
  ],
  [
    "attemptsAgree: the refund att_2 is approved, but the acquirer has no record of it",
    ({ payment }) => payment.modifications.pop(),
  ],
  [
    "attemptsAgree: the refund att_2 is declined, but the acquirer has no record of it",
    (situation) => {
      situation.recordsDeclines = true;
      situation.payment.modifications.pop();
      for (const attempt of situation.records.attempts) attempt.status = "declined";
    },
  ],
  [
    "attemptsAgree: the refund att_2 is a capture at the acquirer",
    ({ payment }) => (first(payment.modifications).kind = "capture"),
  ],
  [
    "attemptsAgree: the refund att_2 is approved, but pending at the acquirer",
    ({ payment }) => (first(payment.modifications).state = "received"),
  ],
  [
    "attemptsAgree: the refund att_2 is declined, but approved at the acquirer",
    ({ records }) => records.attempts.forEach((attempt) => (attempt.status = "declined")),
  ],
  [
    "attemptsAgree: the refund att_2 is declined, but approved at the acquirer",
    ({ records }) => {
      records.attempts.forEach((attempt) => (attempt.status = "declined"));
      records.entries.push({ ...failure, created_at: new Date(Date.parse(at) + 1) });
    },
  ],
  [
    "attemptsAgree: the authorize att_1 is approved, but declined at the acquirer",
    ({ payment }) => payment.entries.splice(0),
  ],
  [
    "attemptsAgree: the authorize att_1 has the decline code stolen_card, but null at the acquirer",
    (situation) => {
      situation.recordsDeclines = true;
      first(situation.records.attempts).decline_code = "stolen_card";
    },
  ],
  [
    "attemptsAgree: the authorize att_1 is for 9000, but for 10000 at the acquirer",
    ({ records }) => (first(records.attempts).amount = 9_000),
  ],
  [
    "attemptsAgree: the authorize att_1 has the acquirer's ID PSP9, but is PSP1 there",
    ({ records }) => (first(records.attempts).acquirer_id = "PSP9"),
  ],
  ["nobodyPaidTwice: order 1 of 6000 was paid with 7000", ({ order }) => (order.amount = 6_000)],
  [
    "nobodyPaidUnseenTotals: ch_1 of order 1 is for 10000, which no form showed when Pay was pressed",
    ({ order }) => order.pressed.set(2, 6_000).set(1, amount),
  ],
  [
    "nobodyPaidUnseenTotals: cs_1 was completed for 0, which no form showed when Pay was pressed",
    ({ records }) => (first(records.sessions).payment_decision_id = null),
  ],
  [
    "sessionsAgree: cs_1 is complete and has 0 events of its completion, but should have 1",
    ({ records }) => (first(records.sessions).payment_decision_id = null),
  ],
  [
    "statusesAgree: ch_1 is for 9000, but for 10000 at the acquirer",
    ({ records }) => (first(records.charges).amount = 9_000),
  ],
  [
    "statusesAgree: ch_1 says that 9000 was captured, its ledger 10000",
    ({ records }) => (first(records.charges).amount_captured = 9_000),
  ],
  [
    "statusesAgree: ch_1 succeeded, but 1 is still reserved",
    ({ payment }) => payment.entries.push({ ...first(payment.entries), value: 1 }),
  ],
  [
    "statusesAgree: ch_1 is authorized, but the merchant has 7000",
    ({ records }) => (first(records.charges).status = "authorized"),
  ],
  [
    "statusesAgree: ch_1 is authorized, but says that 10000 was captured",
    ({ records }) => (first(records.charges).status = "authorized"),
  ],
  [
    "statusesAgree: ch_1 is processing, but says that 10000 was captured",
    ({ records }) => (first(records.charges).status = "processing"),
  ],
  [
    "statusesAgree: ch_1 is canceled, but wasn't authorized",
    ({ records }) => {
      first(records.charges).status = "canceled";
      first(records.attempts).status = "declined";
    },
  ],
  [
    "statusesAgree: ch_1 is failed, but was authorized and not reversed",
    ({ records }) => {
      first(records.charges).status = "failed";
      records.entries.splice(0);
    },
  ],
  [
    "statusesAgree: ch_1 is failed, but the merchant has 7000",
    ({ records }) => (first(records.charges).status = "failed"),
  ],
  [
    "statusesAgree: ch_1 says that 0 was refunded, its refunds 3000",
    ({ records }) => (first(records.charges).amount_refunded = 0),
  ],
  [
    "statusesAgree: ch_1 says that 1 is being refunded, its refunds 0",
    ({ records }) => (first(records.charges).amount_refunding = 1),
  ],
  [
    "statusesAgree: ch_1 has the pending operation capture",
    ({ records }) => (first(records.charges).pending_operation = "capture"),
  ],
  [
    "refundsAgree: re_1 of 3000 is succeeded, but its ledger has 6000",
    ({ records }) => records.entries.push({ ...first(records.entries), attempt_id: "att_2", amount: -3_000 }),
  ],
  ["refundsAgree: re_1 has no attempt", ({ records }) => records.attempts.pop()],
  [
    "refundsAgree: re_1 is processing, but its attempt is",
    ({ records }) => (first(records.refunds).status = "processing"),
  ],
  [
    "nothingIsReversedWithoutCause: att_1 was given up and reversed",
    (situation) => {
      situation.canceled = null;
      situation.records.attempts.push({ ...first(situation.records.attempts), id: "att_3", kind: "reverse" });
    },
  ],
  [
    "nothingIsReversedWithoutCause: att_1 was approved, but is reversed before its time is over",
    ({ records }) => records.attempts.push({ ...first(records.attempts), id: "att_3", kind: "reverse" }),
  ],
  [
    "nothingIsReversedWithoutCause: att_1 was approved, but is reversed and wasn't repeated until its time was over",
    ({ records }) => {
      const created_at = new Date("2026-06-01T00:15:00Z");
      records.attempts.push({ ...first(records.attempts), id: "att_3", kind: "reverse", created_at });
    },
  ],
  [
    "unknownIsRepeated: the outcome of att_1 was unknown, but it wasn't sent again",
    ({ records, sent }) => {
      first(records.attempts).finished_at = new Date("2026-06-01T00:05:00Z");
      sent.set("att_1", [lost]);
    },
  ],
  [
    "declinesSayWhy: att_1 was declined with 12, but says null",
    ({ records, sent }) => {
      first(records.attempts).status = "declined";
      const body = { resultCode: "Refused", refusalReasonCode: "12" };
      sent.set("att_1", [{ ...lost, reply: { body } }]);
    },
  ],
  [
    "sessionsAgree: cs_1 is unpaid, but should be paid",
    ({ records }) => (first(records.sessions).payment_status = "unpaid"),
  ],
  [
    "sessionsAgree: 2 codes were entered in cs_1, but 1 events say so",
    ({ records }) => (first(records.sessions).promotion_code_entries = 2),
  ],
  [
    "versionsAgree: 2 codes took effect in cs_1, but its discounts changed 1 times",
    ({ records }) => (first(records.sessions).promotion_code_entries = 2),
  ],
  [
    "versionsAgree: 1 codes took effect in cs_1, but its discounts changed 0 times",
    ({ records }) => (first(records.versions).discounts = [{ name: "SPRING", amount: 0 }]),
  ],
  [
    "versionsAgree: version 2 of cs_1 has the same discount twice",
    ({ records }) => first(records.sessions).discounts.push({ name: "SPRING", amount: 0 }),
  ],
  [
    "versionsAgree: version 2 of cs_1 is for 10000, but its parts for 8000",
    ({ records }) => first(records.sessions).discounts.push({ name: "SPRING", amount: 2_000 }),
  ],
  [
    "versionsAgree: ch_1 is for 10000, but version 1 of cs_1 for 12000",
    ({ records }) => (first(records.charges).session_version = 1),
  ],
  ["versionsAgree: cs_1 has the versions 2", ({ records }) => records.versions.pop()],
  [
    "versionsAgree: cs_1 was completed without a payment, but is for 10000",
    ({ records }) => (first(records.sessions).payment_decision_id = null),
  ],
  ["eventsAgree: the events of ch_1 have the numbers 2", ({ records }) => (first(records.events).object_sequence = 2)],
  ["eventsAgree: ch_1 is succeeded, but no event says so", ({ records }) => records.events.shift()],
  [
    "eventsAgree: ch_1 is succeeded, but the last event",
    ({ records }) => (first(records.events).object.status = "failed"),
  ],
  ["eventsAgree: re_1 is succeeded, but the last event says undefined", ({ records }) => records.events.pop()],
  [
    "eventsAgree: dp_1 is lost, but the last event says undefined",
    ({ records }) => records.disputes.push({ id: "dp_1", status: "lost" }),
  ],
  [
    "nothingIsForgotten: refund att_2 is still open, but the acquirer has reported its outcome",
    ({ records }) => records.attempts.forEach((attempt) => (attempt.status = "processing")),
  ],
  [
    "nothingIsForgotten: refund att_2 is still open, and nothing is planned",
    ({ payment, records }) => {
      payment.modifications.pop();
      records.attention.push({ ...open, resolved_at: new Date(at) });
      for (const attempt of records.attempts)
        Object.assign(attempt, { status: "processing", next_call_at: new Date("2200-01-01T00:00:00Z") });
    },
  ],
  [
    "nothingIsForgotten: refund att_2 is still open, but wasn't repeated for a week",
    ({ records, sent }) => {
      for (const attempt of records.attempts) attempt.status = "processing";
      sent.set("att_2", [lost, { ...lost, atMs: lost.atMs + 9 * 60_000 }]);
    },
  ],
  [
    "nothingIsForgotten: ch_1 is succeeded, but no attempt is open",
    ({ records }) => (first(records.charges).busy_attempt_id = "att_2"),
  ],
  [
    "notificationsAreProcessed: the notification PSP1:AUTHORISATION:true wasn't processed",
    ({ records }) => (first(records.notifications).status = "received"),
  ],
  [
    "notificationsAreProcessed: the notification PSP2:REFUND:true was accepted, but isn't stored",
    ({ accepted }) => accepted.add("PSP2:REFUND:true"),
  ],
  [
    "notificationsAreProcessed: the notification PSP1:AUTHORISATION:true fits nothing",
    ({ records }) => (first(records.notifications).status = "unmatched"),
  ],
  [
    "notificationsAreProcessed: an item was raised for the unexpected notification PSP9",
    ({ records }) => records.attention.push({ ...open, kind: "unexpected_notification", subject: "PSP9" }),
  ],
  [
    "attentionIsNeeded: outcome_unknown about att_2 wasn't resolved when it ended",
    ({ records }) => records.attention.push(open),
  ],
  [
    "attentionIsNeeded: reversal_failed about att_1 wasn't necessary",
    ({ payment, records }) => {
      payment.entries.pop();
      payment.entries.push({ ...first(payment.entries), account: "merchant", type: "refunded", value: -amount });
      records.attention.push({ ...open, kind: "reversal_failed", subject: "att_1" });
    },
  ],
  ["noErrors: something broke", ({ errors }) => errors.push("something broke")],
];

describe("reconciling", () => {
  it("finds no difference if everything agrees", () => {
    expect(differencesIn(agreeing())).toEqual([]);
  });

  it("finds no difference if a capture is repeated after it failed", () => {
    const situation = agreeing();
    const { payment, records } = situation;
    for (const [type, value] of [
      ["capture_failed", -amount],
      ["captured_again", amount],
    ] as const)
      payment.entries.push({ ...first(payment.entries), account: "merchant", type, value });
    for (const [kind, value] of [
      ["capture_failed", -amount],
      ["capture_repeated", amount],
    ] as const)
      records.entries.push({ ...first(records.entries), kind, amount: value });
    expect(differencesIn(situation)).toEqual([]);
  });

  it("accepts a refund that was declined because its failure was reported first", () => {
    const situation = agreeing();
    const { records } = situation;
    for (const attempt of records.attempts) if (attempt.kind === "refund") attempt.status = "declined";
    records.entries.push(failure);
    expect(differencesIn(situation).filter((difference) => difference.startsWith("attemptsAgree"))).toEqual([]);
  });

  it.each(cases)("finds %j", (difference, change) => {
    const situation = agreeing();
    change(situation);
    expect(differencesIn(situation)).toContainEqual(expect.stringContaining(difference));
  });
});
