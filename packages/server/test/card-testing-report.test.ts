/** Tests that card testing is detected while it happens, and that the merchant and the operator are notified. */
import { beforeEach, describe, expect, it } from "vitest";
import { testCards } from "@oriel/protocol/test-cards";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { findRecentReport } from "../src/payments/risk/card-testing-report.ts";
import { ownedBy } from "../src/platform/storage/owned-by.ts";
import type { TryOutcome } from "../src/platform/storage/risk-tables.ts";
import { reportCardTesting } from "../src/worker.ts";
import { completeChallenge } from "./setup/at-the-bank.ts";
import { cardNumbers, payAndAuthenticate } from "./setup/customer.ts";
import { newWorkspace, type Workspace } from "./setup/dashboard-member.ts";
import { emailsTo } from "./setup/dashboard-visitor.ts";
import { settled } from "./setup/payment-state.ts";
import { rulesOff } from "./setup/rules-off.ts";
import { sendEmails } from "./setup/send-emails.ts";
import { startTestService, type Json } from "./setup/test-service.ts";

const minute = 60_000;
/** Cards that the issuer declines, and that aren't enrolled in 3-D Secure. */
const stolen = [
  testCards.generic_decline,
  testCards.insufficient_funds,
  testCards.stolen_card,
  testCards.lost_card,
  testCards.expired_card,
  testCards.incorrect_cvc,
  testCards.do_not_honor,
  testCards.call_issuer,
  testCards.card_not_supported,
  testCards.pickup_card,
];

const service = await openForTests(startTestService({ risk: `new_customers=16; ${rulesOff}`, role: "api" }));
let workspace: Workspace;
beforeEach(async () => {
  workspace = await newWorkspace(service);
});

async function pay(number: string): Promise<void> {
  await (await workspace.merchant.checkout()).pay(number);
}

/** Without the challenge, the payment is blocked, and the acquirer isn't called. */
async function failChallenge(): Promise<void> {
  const checkout = await workspace.merchant.checkout();
  const { id, payment } = await payAndAuthenticate(checkout, cardNumbers.challenge);
  await completeChallenge(service, payment, { code: "222222" });
  expect(await settled(checkout, id)).toMatchObject({ status: "declined" });
}

async function tryCards(count: number): Promise<void> {
  for (const number of stolen.slice(0, count)) await pay(number);
}

/** The reports in the events of the merchant, oldest first, once the worker has looked. */
async function reports(): Promise<Json[]> {
  await reportCardTesting(service.context);
  const events = (await workspace.merchant.events()).filter(({ type }) => String(type) === "account.card_testing");
  return events.map(({ data }) => data?.["object"] ?? {});
}

/** The IDs of the account's card tries. */
async function tries(): Promise<string[]> {
  const rows = service.context.db.selectFrom("card_try").select("decision_id");
  return (await rows.where(ownedBy(workspace.merchant.tenant)).execute()).map(({ decision_id }) => decision_id);
}

async function setOutcome(ids: string[], outcome: TryOutcome): Promise<void> {
  const changed = service.context.db.updateTable("card_try").set({ outcome }).where("decision_id", "in", ids);
  await changed.where(ownedBy(workspace.merchant.tenant)).execute();
}

const warnings = () =>
  service.log
    .map((line) => JSON.parse(line) as Json)
    .filter(({ account, level }) => Number(account) === workspace.merchant.tenant.accountNo && Number(level) === 40)
    .map(({ msg }) => String(msg));

describe("card testing", () => {
  it("is reported once the cards of ten new customers have failed, and again when it has ended", async () => {
    await tryCards(9);
    await pay(testCards.generic_decline);
    expect(await reports()).toEqual([]);

    await pay(testCards.pickup_card);
    const [report, ...more] = await reports();
    expect(more).toEqual([]);
    expect(report).toEqual({
      id: expect.stringMatching(/^ctr_[0-9a-z]{33}$/),
      object: "card_testing_report",
      livemode: false,
      created: expect.any(Number),
      started_at: Number(report?.["created"]) - 3600,
      ended_at: null,
      attempts: 11,
      blocked: 9,
      declined: 2,
      approved: 0,
    });
    expect(warnings()).toEqual(["Possible card testing at this account"]);
    await sendEmails(service);
    const emails = emailsTo(service, workspace.visitor.email).filter((text) =>
      text.includes("tests stolen card numbers"),
    );
    expect(await workspace.read("card-testing")).toEqual({ report });
    expect(emails).toEqual([expect.stringContaining("Blocked before authorization: 9\n")]);

    service.moveClock(30 * minute);
    await failChallenge();
    expect(await reports()).toHaveLength(1);
    service.moveClock(59 * minute);
    expect(await reports()).toHaveLength(1);
    service.moveClock(2 * minute);
    const [, ended, ...others] = await reports();
    expect(others).toEqual([]);
    expect(ended).toMatchObject({ id: report?.["id"], attempts: 12, blocked: 10, ended_at: expect.any(Number) });
    expect(warnings()).toEqual(["Possible card testing at this account", "Card testing at this account has ended"]);
    expect(await reports()).toHaveLength(2);
  });

  it("isn't reported unless more cards fail than succeed", async () => {
    await tryCards(10);
    const failed = await tries();
    await tryCards(10);
    const paid = (await tries()).filter((id) => !failed.includes(id));
    expect(paid).toHaveLength(10);
    await setOutcome(paid, "approved");
    expect(await reports()).toEqual([]);
    await setOutcome(paid.slice(0, 1), "rejected");
    expect(await reports()).toHaveLength(1);
  });

  it("isn't reported for errors at the acquirer", async () => {
    await workspace.visitor.inWorkspace("PUT", "settings/new-customers", {
      policy: "never_challenge",
      bucket_size: 16,
    });
    await tryCards(10);
    await setOutcome(await tries(), "abandoned"); // as after `processing_error`, which only one test card has
    expect(await reports()).toEqual([]);
  });

  it("is returned while it is ongoing, and afterwards until the given time", async () => {
    await tryCards(10);
    await reports();
    const { tenant } = workspace.merchant;
    const recent = (ms: number) =>
      findRecentReport(service.context.db, tenant, new Date(service.context.now().getTime() - ms));
    expect(await recent(0)).toMatchObject({ attempts: 10, ended_at: null });
    service.moveClock(61 * minute);
    await reports();
    expect(await recent(minute)).toMatchObject({ attempts: 10, ended_at: expect.any(Date) });
    service.moveClock(2 * minute);
    expect(await recent(minute)).toBeUndefined();
  });
});

describe("an empty bucket", () => {
  it("is reported to the owners and the operator when a new customer finds no token", async () => {
    await pay(testCards.visa);
    const bucket = service.context.db.updateTable("admission").set({ tokens: 0, reserve: 0 });
    await bucket.where(ownedBy(workspace.merchant.tenant)).execute();
    await pay(testCards.mastercard);
    await reportCardTesting(service.context);
    await sendEmails(service);
    const emails = emailsTo(service, workspace.visitor.email);
    const email = emails.find((text) => text.includes("tokens for payments by new customers"));
    expect(email).toContain("are used up in test mode");
    expect(warnings()).toEqual(["No tokens for new customers at this account"]);
  });
});
