import { beforeEach, describe, expect, it, vi } from "vitest";
import { attentionKinds } from "@oriel/protocol/api";
import type { AttentionItem } from "@oriel/protocol/dashboard/acquirers";
import type { Role } from "@oriel/protocol/dashboard/roles";
import { stepUp } from "../../api/step-up.ts";
import { showPage } from "../../testing/show-page.ts";
import { Attention } from "./attention.tsx";

const unknown: AttentionItem = {
  object: "attention_item",
  livemode: false,
  id: "na_1",
  created: 1_800_000_000,
  kind: "outcome_unknown",
  charge_id: "ch_1",
  details: { operation: "authorize", amount: 4900, currency: "eur", reference: "att_1" },
  resolved: null,
  resolved_by: null,
};
const overdue: AttentionItem = { ...unknown, id: "na_2", kind: "operation_overdue" };
const resolved: AttentionItem = {
  ...unknown,
  id: "na_3",
  kind: "fraud_reported",
  resolved: 1_800_000_500,
  resolved_by: "robin@shop.example",
};

/** What the service has. A request to resolve an item gets the next of `responses`. */
let items: AttentionItem[];
let responses: Response[];
let sent: [path: string, body: unknown][];

beforeEach(() => {
  responses = [];
  sent = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    if (init.method === "POST") {
      sent.push([path, JSON.parse(String(init.body))]);
      return responses.shift();
    }
    const isOpen = new URL(path, "https://dashboard.example").searchParams.get("state") === "open";
    return Response.json({ data: items.filter((item) => (item.resolved === null) === isOpen), has_more: false });
  });
});

async function show(all: AttentionItem[], role: Role = "support"): Promise<void> {
  items = all;
  showPage(Attention, { role });
  await vi.waitFor(() => {
    expect(text()).toContain("Resolved");
    expect(document.querySelector("[aria-label=Loading]")).toBeNull();
  });
}

const text = () => document.body.textContent;
const cards = (section: string) =>
  [...document.querySelectorAll(`section[aria-label=${section}] article`)].map(({ textContent }) => textContent);
const button = (name: string) =>
  [...document.querySelectorAll("button")].filter(({ textContent }) => textContent === name).at(-1);

function press(name: string): void {
  const found = button(name);
  if (found === undefined) throw new Error(`There's no ${name}`);
  found.click();
}

describe("the page of what needs attention", () => {
  it("shows open items before resolved ones, with what is known", async () => {
    await show([resolved, unknown, overdue]);
    expect(cards("Open")).toEqual([
      expect.stringMatching(/Outcome unknown.*ch_1.*€49\.00.*Operation.*Authorization.*Our reference.*att_1/),
      expect.stringContaining("Outcome overdue"),
    ]);
    expect(cards("Resolved")).toEqual([expect.stringMatching(/Fraud reported.*robin@shop\.example/)]);
  });

  it.each(attentionKinds)("says in sentences what %s means and what to do", async (kind) => {
    await show([{ ...unknown, kind }]);
    const [card = ""] = cards("Open");
    expect(card).not.toContain(kind);
    expect(card).toMatch(/[a-z]\..*What to do: [A-Z].*\./);
    expect(document.querySelector("article")?.getAttribute("aria-labelledby")).toBe(document.querySelector("h3")?.id);
  });

  it("says that nothing needs attention", async () => {
    await show([]);
    expect(text()).toContain("Nothing needs your attention.");
    expect(text()).toContain("No resolved items.");
  });

  it("shows that an item has resolved itself", async () => {
    await show([{ ...resolved, resolved_by: null }]);
    expect(cards("Resolved")).toEqual([expect.stringContaining("Oriel, because the acquirer reported the outcome")]);
  });

  it("doesn't let a read-only member resolve anything", async () => {
    await show([unknown, overdue], "read_only");
    expect(cards("Open")).toHaveLength(2);
    expect(document.querySelector("article button:not([aria-label^=Copy])")).toBeNull();
  });
});

describe("resolving an item", () => {
  it("moves it to the resolved ones, and the focus to the page's heading", async () => {
    await show([overdue]);
    responses = [Response.json({ ...overdue, resolved: 1 })];
    items = [{ ...overdue, resolved: 1 }];
    press("Mark as resolved");
    await vi.waitFor(() => expect(cards("Resolved")).toHaveLength(1));
    expect(cards("Open")).toEqual([]);
    expect(text()).toContain("Marked as resolved");
    expect(document.activeElement?.tagName).toBe("H1");
    expect(sent).toEqual([["/data/acct_1/test/attention/na_2/resolve", {}]]);
  });

  it("confirms the user's identity first if the service asks for it", async () => {
    await show([overdue]);
    responses = [
      Response.json({ error: { code: "step_up_required", message: "Confirm it's you." } }, { status: 403 }),
      Response.json({ ...overdue, resolved: 1 }),
    ];
    press("Mark as resolved");
    await vi.waitFor(() => expect(stepUp.isOpen()).toBe(true));
    stepUp.settle(true);
    await vi.waitFor(() => expect(text()).toContain("Marked as resolved"));
    expect(sent).toHaveLength(2);
  });

  it("shows a refusal, and keeps the item", async () => {
    await show([overdue]);
    responses = [
      Response.json({ error: { code: "permission_missing", message: "Your role doesn't." } }, { status: 403 }),
    ];
    press("Mark as resolved");
    await vi.waitFor(() => expect(document.querySelector("[role=alert]")?.textContent).toBe("Your role doesn't."));
    expect(cards("Open")).toHaveLength(1);
  });

  it("ends a payment as failed only after it explained what happens to a late approval", async () => {
    await show([unknown]);
    press("Mark as failed");
    await vi.waitFor(() => expect(text()).toContain("Mark payment as failed?"));
    expect(document.querySelector("[role=dialog]")?.textContent).toMatch(
      /receives payment_failed\. If the acquirer reports an approval later, we cancel or refund it automatically/,
    );
    expect(sent).toEqual([]);
    responses = [Response.json({ ...unknown, resolved: 1 })];
    press("Mark as failed");
    await vi.waitFor(() => expect(text()).toContain("Payment marked as failed"));
    expect(sent).toEqual([["/data/acct_1/test/attention/na_1/resolve", { mark_failed: true }]]);
  });

  it.each([
    ["capture", "capture", /receives charge\.capture_failed\. The payment stays authorized/],
    ["cancel", "cancellation", /receives charge\.cancel_failed\. The payment stays authorized/],
    ["release", "cancellation of the rest", /It ends as failed\. The payment stays as it is/],
    ["refund", "refund", /receives refund\.failed\. Its amount can be refunded again/],
    ["reverse", "reversal", /It ends as failed\. The payment is then listed/],
  ])("ends a %s as failed only after it explained the consequences", async (operation, what, consequences) => {
    const item = { ...overdue, details: { ...overdue.details, operation } };
    await show([item]);
    press("Mark as failed");
    await vi.waitFor(() => expect(text()).toContain(`Mark ${what} as failed?`));
    expect(document.querySelector("[role=dialog]")?.textContent).toMatch(consequences);
    responses = [Response.json({ ...item, resolved: 1 })];
    press("Mark as failed");
    await vi.waitFor(() => expect(text()).toContain("marked as failed"));
    expect(sent).toEqual([["/data/acct_1/test/attention/na_2/resolve", { mark_failed: true }]]);
  });

  const missing: AttentionItem["kind"][] = ["outcome_unknown", "operation_overdue"];
  it.each(attentionKinds.filter((kind) => !missing.includes(kind)))("can't end a payment of %s", async (kind) => {
    await show([{ ...unknown, kind }]);
    expect(button("Mark as resolved")).toBeDefined();
    expect(button("Mark as failed")).toBeUndefined();
  });
});
