/** Tests that card testing is recognized while it happens, and that the merchant and the operator are told. */
import { testCards } from "@oriel/protocol/test-cards";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findRecentReport } from "../src/payments/risk/attack-report.ts";
import { reportAttacks } from "../src/worker.ts";
import { newDesk, type Desk } from "./setup/dashboard-member.ts";
import { emailsTo } from "./setup/dashboard-visitor.ts";
import { rulesOff } from "./setup/rules-off.ts";
import { startTestService, type Json, type TestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

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

let service: TestService;
let desk: Desk;
beforeAll(async () => {
  service = await startTestService({ risk: `new_customers=4; ${rulesOff}`, role: "api" });
});
afterAll(() => service.close());
beforeEach(async () => {
  desk = await newDesk(service);
});

async function pay(number: string): Promise<void> {
  await (await desk.merchant.checkout()).pay(number);
}

async function tryCards(count: number): Promise<void> {
  for (const number of stolen.slice(0, count)) await pay(number);
}

/** The reports in the events of the merchant, oldest first, once the worker has looked. */
async function reports(): Promise<Json[]> {
  await reportAttacks(service.context);
  const events = (await desk.merchant.events()).filter(({ type }) => String(type) === "account.card_testing");
  return events.map(({ data }) => data?.["object"] ?? {});
}

const warnings = () =>
  service.log
    .map((line) => JSON.parse(line) as Json)
    .filter(({ account, level }) => Number(account) === desk.merchant.tenant.accountNo && Number(level) === 40)
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
      id: expect.stringMatching(/^atk_[0-9a-z]{33}$/),
      object: "attack_report",
      livemode: false,
      created: expect.any(Number),
      started_at: Number(report?.["created"]) - 3600,
      ended_at: null,
      attempts: 11,
      stopped: 7,
      declined: 4,
      approved: 0,
    });
    expect(warnings()).toEqual(["Card testing at this account"]);
    const letters = await until("the email", async () => {
      const texts = emailsTo(service, desk.visitor.email).filter((text) => text.includes("stolen card numbers"));
      return texts.length === 0 ? null : texts;
    });
    expect(letters).toEqual([expect.stringContaining("Stopped before the bank was asked: 7\n")]);

    service.moveClock(30 * minute);
    await pay(testCards.do_not_honor);
    expect(await reports()).toHaveLength(1);
    service.moveClock(59 * minute);
    expect(await reports()).toHaveLength(1);
    service.moveClock(2 * minute);
    const [, ended, ...others] = await reports();
    expect(others).toEqual([]);
    expect(ended).toMatchObject({ id: report?.["id"], attempts: 12, stopped: 8, ended_at: expect.any(Number) });
    expect(warnings()).toEqual(["Card testing at this account", "The card testing at this account has ended"]);
    expect(await reports()).toHaveLength(2);
  });

  it("isn't reported while as many cards pay as fail", async () => {
    await tryCards(10);
    const paid = stolen.slice(0, 5).map((number) => number.slice(-4));
    const { db } = service.context;
    await db
      .updateTable("card_try")
      .set({ outcome: "approved" })
      .where(
        "decision_id",
        "in",
        db
          .selectFrom("decision")
          .innerJoin("payment_method", "payment_method.id", "decision.payment_method_id")
          .select("decision.id")
          .where("payment_method.last4", "in", paid),
      )
      .where("account_no", "=", desk.merchant.tenant.accountNo)
      .execute();
    expect(await reports()).toEqual([]);
  });

  it("is shown to its merchant for as long as the dashboard asks", async () => {
    await tryCards(10);
    await reports();
    const { tenant } = desk.merchant;
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
