import { describe, expect, it } from "vitest";
import type { Authorization } from "@oriel/protocol/acquirer";
import { fromSandbox, type SandboxRecords } from "../acquirer-records.ts";
import { checkSales } from "./check-sales.ts";
import type { Sale } from "./client-records.ts";

/** A sale that was captured later and partly refunded, after a declined capture. */
function agreeing() {
  const operation = { authorization: "att_1", status: "approved" as const, requests: 1, created: 1_780_000_000 };
  const authorization: Authorization = {
    ...operation,
    reference: "att_1",
    amount: 1_000,
    currency: "eur",
    captured: false,
    amount_captured: 800,
    amount_refunded: 300,
    canceled: false,
    authorization_id: "auth_1",
    card: { last4: "4242" },
    authenticated: false,
  };
  const records: SandboxRecords = {
    authorizations: [authorization],
    captures: [
      { ...operation, reference: "att_2", amount: 900, status: "declined" },
      { ...operation, reference: "att_3", amount: 800 },
    ],
    cancels: [],
    refunds: [{ ...operation, reference: "att_4", amount: 300 }],
  };
  const sale: Sale = {
    amount: 1_000,
    firstAmount: 1_000,
    hasChoices: false,
    pressed: new Map(),
    by: "api",
    reported: "approved",
    chargeId: "ch_1",
    capturedAtOnce: 0,
    operations: [
      { kind: "capture", amount: 900, response: null, outcome: "declined" },
      { kind: "capture", amount: 800, response: null, outcome: "approved" },
      { kind: "refund", amount: 900, response: null, outcome: "refused" },
      { kind: "refund", amount: 300, response: null, outcome: "approved" },
    ],
  };
  return { authorization, records, sale };
}

type Situation = ReturnType<typeof agreeing>;

function mistakesIn({ records, sale }: Situation): string[] {
  return checkSales([sale], fromSandbox(records), true).mistakes.map(({ kind, what }) => `${kind}: ${what}`);
}

const cases: [mistake: string, change: (situation: Situation) => void][] = [
  ["stuck: the sale of 1000: its client got no final response", ({ sale }) => (sale.reported = null)],
  [
    "twice: the sale of 1000: approvals: the client's records have 1, but the acquirer has 2",
    ({ records, authorization }) => records.authorizations.push({ ...authorization, reference: "att_9" }),
  ],
  ["twice: the sale of 1000: approvals: the client's records have 0, but", ({ sale }) => (sale.reported = "declined")],
  ["twice: the sale of 1000: approvals: the client's records have 0, but", ({ sale }) => (sale.reported = "free")],
  [
    "lost: the sale of 1000: approvals: the client's records have 1, but",
    ({ records }) => records.authorizations.pop(),
  ],
  [
    "twice: the sale of 1000: authorizations: the client's records have 1, but the acquirer has 2",
    ({ records, authorization }) =>
      records.authorizations.push({ ...authorization, reference: "att_9", status: "declined" }),
  ],
  [
    "twice: the sale of 1000: each capture approved: the client's records have 1, but the acquirer has 2",
    ({ records: { captures } }) => captures.push(...captures.slice(1)),
  ],
  [
    "lost: the sale of 1000: each capture declined: the client's records have 1",
    ({ records }) => records.captures.shift(),
  ],
  [
    "lost: the sale of 1000: each refund approved: the client's records have 300, but the acquirer has 200",
    ({ records }) => records.refunds.forEach((refund) => (refund.amount = 200)),
  ],
  [
    "lost: the sale of 1000: the client's records have 0 reserved, 800 captured and 300 refunded, but the acquirer has 0 reserved, 900",
    ({ authorization }) => (authorization.amount_captured = 900),
  ],
  [
    "lost: The acquirer has att_9, but no client requested it",
    ({ records, authorization }) => records.authorizations.push({ ...authorization, reference: "att_9", amount: 7 }),
  ],
];

describe("checking sales", () => {
  it("finds no mistake if the acquirer's records agree with the client's", () => {
    expect(mistakesIn(agreeing())).toEqual([]);
  });

  it.each(cases)("finds %j", (mistake, change) => {
    const situation = agreeing();
    change(situation);
    expect(mistakesIn(situation)).toContainEqual(expect.stringContaining(mistake));
  });
});
