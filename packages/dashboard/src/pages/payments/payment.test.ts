import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Dispute, LedgerEntry, Refund } from "@oriel/protocol/api";
import type { AttemptInfo, PaymentDetail, TimelineEntry } from "@oriel/protocol/dashboard/payments";
import { paid, session } from "../../testing/payment.ts";
import { showPage } from "../../testing/show-page.ts";
import { Payment } from "./payment.tsx";

const authorized: PaymentDetail = { ...paid, status: "authorized", amount_captured: 0 };
const processing: PaymentDetail = { ...authorized, status: "processing" };

const attempt: AttemptInfo = {
  id: "att_1",
  kind: "authorize",
  reversal: null,
  status: "processing",
  accepted: null,
  amount: 4900,
  is_step_up: false,
  calls: 2,
  decline_code: null,
  acquirer_id: null,
  authorization_code: null,
  avs_result: null,
  cvc_result: null,
  network_transaction_id: null,
  refusal_code: null,
  refusal_reason: null,
  finished: null,
  next_call: null,
};
const accepted: AttemptInfo = { ...attempt, accepted: 1_800_000_001, acquirer_id: "PSP1" };

const refund: Refund = {
  id: "re_1",
  object: "refund",
  livemode: false,
  created: 1_800_000_100,
  status: "pending",
  amount: 1900,
  currency: "eur",
  charge_id: "ch_1",
  reason: null,
  failure: null,
};
const refunded = (change: Partial<Refund> = {}): TimelineEntry => ({
  at: refund.created,
  type: "refund",
  refund: { ...refund, ...change },
  attempt: { ...accepted, kind: "refund" },
});

const dispute: Dispute = {
  id: "dp_1",
  object: "dispute",
  livemode: false,
  created: 1_800_000_200,
  status: "needs_response",
  charge_id: "ch_1",
  amount: 5200,
  currency: "usd",
  reason: "10.4",
  respond_by: null,
  acquirer_id: "DISPUTE1",
};

const entry = (kind: LedgerEntry["kind"], amount: number, currency = "eur"): LedgerEntry => ({
  object: "ledger_entry",
  livemode: false,
  created: 1_800_000_000,
  charge_id: "ch_1",
  kind,
  amount,
  currency,
  reference: `PSP of ${kind}`,
});

let payment: PaymentDetail;

beforeEach(() => vi.stubGlobal("fetch", async () => Response.json(payment)));

async function show(detail: PaymentDetail): Promise<void> {
  payment = detail;
  showPage(Payment, { path: "payments/ch_1", at: "payments/:id" });
  await vi.waitFor(() => expect(document.querySelector("h1")?.textContent).toContain("Payment of €49.00"));
}

const section = (name: string) => document.querySelector(`section[aria-label="${name}"]`)?.textContent;
const alerts = () => [...document.querySelectorAll("[role=alert]")].map(({ textContent }) => textContent);
const buttons = () => [...document.querySelectorAll("button")].map(({ textContent }) => textContent);
const rows = (label: string) =>
  [...document.querySelectorAll(`table[aria-label="${label}"] tbody tr`)].map((row) =>
    [...row.querySelectorAll("td")].map(({ textContent }) => textContent),
  );

describe("an order", () => {
  it("lists everything that adds up to the amount", async () => {
    const ordered = {
      ...session,
      line_items: [{ name: "Cup", amount: 2450, quantity: 2 }],
      shipping_options: [
        { id: "post", name: "Post", amount: 490 },
        { id: "pickup", name: "Pickup", amount: 0 },
      ],
      shipping_option: "post",
      discounts: [{ name: "SPRING", amount: 790 }],
      tax_amount: 300,
    };
    await show({ ...paid, timeline: [{ at: 1, type: "session_created", session: ordered }] });
    expect(rows("Line items")).toEqual([
      ["Cup", "2", "€49.00"],
      ["Shipping: Post", "", "€4.90"],
      ["Discount: SPRING", "", "-€7.90"],
      ["Tax", "", "€3.00"],
    ]);
  });
});

describe("a failed payment", () => {
  const failed: PaymentDetail = {
    ...paid,
    status: "failed",
    amount_captured: 0,
    failure: {
      code: "card_declined",
      decline_code: "insufficient_funds",
      advice: "try_again_later",
      message: "The card has insufficient funds.",
    },
  };

  it.each([
    ["complete", true],
    ["open", false],
  ] as const)("of an order that now costs nothing and is %s says whether it was placed", async (status, isPlaced) => {
    const free = { ...session, status, payment_status: "no_payment_required" } as const;
    await show({ ...failed, timeline: [{ at: 1, type: "session_created", session: free }] });
    const [alert = ""] = alerts();
    expect(alert).toContain("insufficient funds");
    expect(alert.includes("completed the checkout without a payment")).toBe(isPlaced);
  });
});

describe("a payment that waits for the acquirer", () => {
  it("can be captured or canceled while nothing is pending (control)", async () => {
    await show(authorized);
    expect(buttons()).toEqual(expect.arrayContaining(["Capture", "Cancel"]));
    expect(alerts()).toEqual([]);
  });

  it.each([
    ["capture", /^Capture pending.*confirms it within days/],
    ["cancel", /^Cancellation pending.*confirms it within days/],
  ] as const)("says that its %s is pending, and offers neither capture nor cancel", async (pending_operation, text) => {
    await show({ ...authorized, pending_operation });
    expect(alerts()).toEqual([expect.stringMatching(text)]);
    expect(buttons()).not.toContain("Capture");
    expect(buttons()).not.toContain("Cancel");
  });

  it.each<[string, PaymentDetail["timeline"], RegExp]>([
    ["we check the outcome", [{ at: 1, type: "authorization", attempt }], /We're checking its outcome/],
    ["the acquirer reports later", [{ at: 1, type: "authorization", attempt: accepted }], /reports the outcome later/],
    [
      "it's being reversed",
      [
        { at: 1, type: "authorization", attempt },
        { at: 2, type: "reversal", attempt: { ...attempt, kind: "reverse", reversal: "reference" } },
      ],
      /we're reversing the payment/,
    ],
  ])("says that %s", async (_name, timeline, text) => {
    await show({ ...processing, timeline });
    expect(alerts()).toEqual([expect.stringMatching(text)]);
  });

  it("shows a pending refund, and offers to refund the rest", async () => {
    await show({ ...paid, timeline: [refunded()] });
    expect(rows("Refunds")).toEqual([
      ["€19.00", expect.stringMatching(/^Pending.*confirms it within days/), expect.anything(), "-"],
    ]);
    expect(buttons()).toContain("Refund");
  });

  it("doesn't offer a refund if all of it is in a pending one", async () => {
    await show({ ...paid, timeline: [refunded({ amount: 4900 })] });
    expect(buttons()).not.toContain("Refund");
  });

  it("shows an accepted attempt as pending, and what a reversal is for", async () => {
    const reverse: AttemptInfo = { ...accepted, kind: "reverse", reversal: "refund" };
    await show({
      ...processing,
      timeline: [
        { at: 1, type: "authorization", attempt },
        { at: 2, type: "reversal", attempt: reverse },
      ],
    });
    const entries = [...document.querySelectorAll("[role=listitem]")].map(({ textContent }) => textContent);
    expect(entries).toEqual([
      expect.stringMatching(/^Authorization.*OutcomeProcessing/),
      expect.stringMatching(/^Reversal.*OutcomePendingCauseApproved too late, so it's refunded/),
    ]);
  });
});

describe("the movements at the acquirer", () => {
  it("have a running net for each currency, which can be negative", async () => {
    const ledger = [entry("capture", 4900), entry("refund", -4900), entry("chargeback", -5200, "usd")];
    await show({ ...paid, ledger });
    expect(rows("Movements at the acquirer").map(([kind, , , ...amounts]) => [kind, ...amounts])).toEqual([
      ["Capture", "€49.00", "€49.00"],
      ["Refund", "-€49.00", "€0.00"],
      ["Chargeback", "-$52.00", "-$52.00"],
    ]);
    expect(section("Payment")).toContain("Net€0.00, -$52.00");
  });

  it("aren't shown before money moved", async () => {
    await show(authorized);
    expect(section("Movements at the acquirer")).toBeUndefined();
  });
});

describe("a disputed payment", () => {
  it("says where to respond, until when, and the acquirer's ID", async () => {
    const respond_by = Math.floor(Date.now() / 1000) + 5 * 24 * 3600 + 60;
    await show({ ...paid, disputes: [{ ...dispute, respond_by }] });
    expect(section("Dispute")).toMatch(/Submit evidence at your acquirer.*\$52\.00.*5 days left.*10\.4.*DISPUTE1/);
  });

  it.each([
    ["under_review", "You don't have to do anything."],
    ["won", "You won this dispute"],
    ["lost", "You lost this dispute"],
  ] as const)("says what %s means", async (status, text) => {
    await show({ ...paid, disputes: [{ ...dispute, status }] });
    expect(section("Dispute")).toContain(text);
    expect(section("Dispute")).not.toContain("Submit evidence");
  });

  it("shows a disputed amount that can't be expressed as unknown", async () => {
    await show({ ...paid, disputes: [{ ...dispute, amount: null, currency: null }] });
    expect(section("Dispute")).toContain("Unknown amount");
  });
});

it("a payment that needs attention shows what to do, and resolved items separately", async () => {
  const object = { object: "attention_item", livemode: false, created: 1, charge_id: "ch_1", details: {} } as const;
  const item = { ...object, resolved: null, resolved_by: null };
  await show({
    ...paid,
    attention: [
      { ...item, id: "na_2", kind: "fraud_reported", resolved: 2, resolved_by: "robin@shop.example" },
      { ...item, id: "na_1", kind: "capture_failed_late" },
    ],
  });
  expect(section("Needs attention")).toMatch(/Capture failed after it had succeeded.*What to do/);
  expect(section("Needs attention")).not.toContain("Fraud reported");
  expect(section("Resolved items")).toMatch(/Fraud reported.*robin@shop\.example/);
});
