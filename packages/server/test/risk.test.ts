/**
 * Tests the risk rules on a real database: honest customers are never blocked, patterns of card testing are, and
 * concurrent attempts count each other.
 */
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createAccount } from "../src/merchants/accounts/accounts.ts";
import { assess, isConfirmed, type Assessment } from "../src/payments/risk/assess.ts";
import {
  beginTry,
  deleteOldTries,
  deleteTry,
  outcomeOf,
  recordOutcome,
  type CardTry,
  type RiskContext,
} from "../src/payments/risk/card-attempts.ts";
import { readRiskSettings } from "../src/payments/risk/settings.ts";
import { ApiError } from "../src/platform/errors.ts";
import { newId } from "../src/platform/ids.ts";
import { newServerKeys } from "../src/platform/server-keys.ts";
import { openDatabase } from "../src/platform/storage/database.ts";
import { migrate } from "../src/platform/storage/migrate.ts";
import { watchNodes } from "../src/platform/storage/nodes.ts";
import type { TryOutcome } from "../src/platform/storage/risk-tables.ts";
import type { Tenant } from "../src/platform/tenant.ts";
import { storedFunctions } from "../src/stored-functions.ts";
import { freshDatabase } from "./setup/test-service.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const closers = closersFor(afterAll);
const database = await openForTests(openDatabase(await freshDatabase(closers)));
await migrate(database, storedFunctions);

let clock = new Date("2026-03-01T12:00:00Z");
let accountNo: number;
beforeEach(async () => {
  clock = new Date(clock.getTime() + 40 * day); // longer than the window of any rule
  ({ accountNo } = await createAccount(database.db, "Kiln Street", clock));
});

const keys = newServerKeys();

const log = { info() {}, warn() {}, error() {} };
const nodes = watchNodes(database, log);
closers.push(async () => nodes.stop());

function withRules(ORIEL_RISK = "") {
  return { db: database.db, nodes, keys, now: () => clock, log, riskSettings: readRiskSettings({ ORIEL_RISK }) };
}

const live = (): Tenant => ({ accountNo, livemode: true });

type Shape = Partial<CardTry> & { card?: string | null; isReturning?: boolean };

let unique = 0;
/** Builds an attempt, by default by a new customer. */
function newCardTry(shape: Shape = {}): {
  cardTry: CardTry;
  payer: { fingerprint: Buffer | null; isReturning: boolean };
} {
  unique++;
  const { card = `card ${unique}`, isReturning = false, ...more } = shape;
  const tenant = shape.tenant ?? live();
  const cardTry: CardTry = {
    tenant,
    decisionId: newId("dec", clock, tenant),
    sessionId: newId("cs", clock, tenant),
    ip: `10.${(unique >> 16) & 255}.${(unique >> 8) & 255}.${unique & 255}`,
    amount: 4900,
    currency: "eur",
    ...more,
  };
  return { cardTry, payer: { fingerprint: card === null ? null : Buffer.from(card), isReturning } };
}

async function tryCard(context: RiskContext, shape: Shape = {}, outcome?: TryOutcome): Promise<Assessment> {
  const { cardTry, payer } = newCardTry(shape);
  await beginTry(context, cardTry);
  const assessment = await assess(context, cardTry, payer);
  if (outcome !== undefined) await recordOutcome(context.db, cardTry.decisionId, outcome);
  return assessment;
}

async function tryCards(context: RiskContext, count: number, shape: Shape = {}, outcome?: TryOutcome) {
  const verdicts: Assessment["verdict"][] = [];
  for (let i = 0; i < count; i++) verdicts.push((await tryCard(context, shape, outcome)).verdict);
  return verdicts;
}

const times = <T>(count: number, value: T) => Array<T>(count).fill(value);

const countRows = async () =>
  (await database.db.selectFrom("card_try").select("decision_id").where("account_no", "=", accountNo).execute()).length;

async function refusalOf(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(error instanceof ApiError)) throw new Error("It was not refused", { cause: error });
  return error;
}

describe("an honest customer", () => {
  it("isn't blocked for mistyping the card three times, whether the number or the CVC was wrong", async () => {
    const context = withRules();
    for (const card of [{}, { card: "one and the same" }]) {
      const customer = { sessionId: newId("cs", clock, live()), ip: "203.0.113.7", ...card };
      for (const outcome of ["declined", "declined", "declined", "approved"] as const) {
        expect(await tryCard(context, customer, outcome)).toEqual({ level: "normal", reasons: [], verdict: "approve" });
      }
    }
  });

  it("isn't blocked at a busy shop with a 10% decline rate", async () => {
    const context = withRules();
    const verdicts = new Set<string>();
    for (let i = 0; i < 120; i++)
      verdicts.add((await tryCard(context, {}, i % 10 === 0 ? "declined" : "approved")).verdict);
    expect([...verdicts]).toEqual(["approve"]);
  });
});

describe("one card", () => {
  it("requires authentication from the 6th attempt in an hour and is declined from the 11th", async () => {
    const verdicts = await tryCards(withRules(), 12, { card: "the card" });
    expect(verdicts).toEqual([...times(5, "approve"), ...times(5, "challenge"), ...times(2, "decline")]);
    const { level, reasons } = await tryCard(withRules(), { card: "the card" });
    expect({ level, reasons }).toEqual({ level: "high", reasons: ["card_velocity"] });
    expect(await tryCard(withRules())).toEqual({ level: "normal", reasons: [], verdict: "approve" });
  });

  it("is allowed again when its attempts have left the window", async () => {
    await tryCards(withRules(), 8, { card: "the card" });
    clock = new Date(clock.getTime() + hour - 1);
    expect((await tryCard(withRules(), { card: "the card" })).verdict).toBe("challenge");
    clock = new Date(clock.getTime() + 1);
    expect((await tryCard(withRules(), { card: "the card" })).verdict).toBe("approve");
  });

  it("counts across all accounts in live mode and per account in test mode", async () => {
    const { accountNo: elsewhere } = await createAccount(database.db, "Other Street", clock);
    for (const [livemode, verdict] of [
      [true, "decline"],
      [false, "approve"],
    ] as const) {
      await tryCards(withRules(), 10, { card: "the card", tenant: { accountNo: elsewhere, livemode } });
      const here = await tryCard(withRules(), { card: "the card", tenant: { accountNo, livemode } });
      expect({ livemode, verdict: here.verdict }).toEqual({ livemode, verdict });
    }
  });

  it("counts separately in live mode and in test mode", async () => {
    const test = { card: "the card", ip: "203.0.113.7", tenant: { accountNo, livemode: false } };
    expect((await tryCards(withRules("on"), 12, test)).at(-1)).toBe("decline");
    expect((await tryCard(withRules("on"), { ...test, tenant: live() })).verdict).toBe("approve");
  });

  it("is declined after ten declines in a day, no matter how far apart", async () => {
    for (let i = 0; i < 10; i++) {
      expect((await tryCard(withRules(), { card: "the card" }, "declined")).verdict).toBe("approve");
      clock = new Date(clock.getTime() + 2 * hour);
    }
    expect(await tryCard(withRules(), { card: "the card" })).toMatchObject({
      level: "high",
      reasons: ["card_declines"],
    });
  });

  it("is still counted by all other rules if the vault can't fingerprint it", async () => {
    const verdicts = await tryCards(withRules(), 12, { card: null, ip: "203.0.113.7" });
    expect(verdicts).toEqual([...times(10, "approve"), ...times(2, "challenge")]);
  });

  it("counts the same when it is only saved, without an amount", async () => {
    const sameCard = { card: "the card", amount: 0 };
    expect((await tryCards(withRules(), 11, sameCard)).at(-1)).toBe("decline");
  });
});

describe("one IP address", () => {
  it("must authenticate when it tries many cards, then is declined, then is refused before a card is read", async () => {
    const verdicts = await tryCards(withRules(), 60, { ip: "203.0.113.7" });
    expect(verdicts).toEqual([...times(10, "approve"), ...times(20, "challenge"), ...times(30, "decline")]);
    const refusal = await refusalOf(tryCard(withRules(), { ip: "203.0.113.7" }));
    expect([refusal.status, refusal.code, refusal.details.retryAfterSeconds]).toEqual([429, "rate_limited", 3600]);
  });

  it("covers a whole /64 of IPv6, and an IPv4 address written as IPv6 is the same address", async () => {
    const context = withRules("ip_tries=3/h");
    for (const ip of ["2001:db8:1:2::1", "2001:db8:1:2:ffff::2", "2001:db8:1:2:3:4:5:6"])
      await tryCard(context, { ip });
    expect((await refusalOf(tryCard(context, { ip: "2001:db8:1:2::ffff" }))).code).toBe("rate_limited");
    expect((await tryCard(context, { ip: "2001:db8:1:3::1" })).verdict).toBe("approve");

    for (const ip of ["203.0.113.9", "::ffff:203.0.113.9", "::ffff:cb00:7109"]) await tryCard(context, { ip });
    expect((await refusalOf(tryCard(context, { ip: "203.0.113.9" }))).code).toBe("rate_limited");
  });

  it("isn't counted if it is missing or invalid", async () => {
    for (const ip of [null, "unknown"]) expect((await tryCards(withRules(), 12, { ip })).at(-1)).toBe("approve");
  });
});

describe("one session", () => {
  it("requires authentication from the fifth attempt on", async () => {
    const verdicts = await tryCards(withRules(), 5, { sessionId: newId("cs", clock, live()) });
    expect(verdicts).toEqual([...times(4, "approve"), "challenge"]);
  });
});

describe("a limit", () => {
  it("returns how long to wait, and refused attempts don't count toward it", async () => {
    const context = withRules("account_tries=2/h");
    await tryCard(context);
    clock = new Date(clock.getTime() + 10 * minute);
    await tryCard(context);
    clock = new Date(clock.getTime() + 20 * minute);
    for (let i = 0; i < 3; i++) {
      expect((await refusalOf(tryCard(context))).details.retryAfterSeconds).toBe(30 * 60);
    }
    expect(await countRows()).toBe(2);
    clock = new Date(clock.getTime() + 30 * minute);
    expect((await tryCard(context)).verdict).toBe("approve");
    expect((await refusalOf(tryCard(context))).details.retryAfterSeconds).toBe(10 * 60);
  });

  it("counts each session separately if it is a session limit", async () => {
    const [one, other] = [newId("cs", clock, live()), newId("cs", clock, live())];
    const context = withRules("session_tries=2/h");
    await tryCards(context, 2, { sessionId: one });
    expect((await refusalOf(tryCard(context, { sessionId: one }))).code).toBe("rate_limited");
    expect((await tryCard(context, { sessionId: other })).verdict).toBe("approve");
  });

  it("doesn't count an attempt that led to no decision", async () => {
    const context = withRules("account_tries=1/h");
    const { cardTry } = newCardTry();
    await beginTry(context, cardTry);
    await deleteTry(context.db, cardTry.decisionId);
    expect((await tryCard(context)).verdict).toBe("approve");
  });
});

describe("concurrent attempts", () => {
  it("count each other for one card: of fifty at once, no more pass than the rule allows", async () => {
    const context = withRules();
    const assessments = await Promise.all(times(50, null).map(() => tryCard(context, { card: "the card" })));
    const passed = (verdict: string) => assessments.filter((assessment) => assessment.verdict === verdict).length;
    expect(passed("approve")).toBeLessThanOrEqual(5);
    expect(passed("approve") + passed("challenge")).toBeLessThanOrEqual(10);
    expect(assessments).toHaveLength(50);
    expect((await tryCard(context, { card: "the card" })).verdict).toBe("decline");
  });

  it("count each other for one IP address: of fifty at once, no more pass than the limit, and refused ones aren't recorded", async () => {
    const context = withRules("ip_tries=10/h");
    const results = await Promise.allSettled(times(50, null).map(() => tryCard(context, { ip: "203.0.113.7" })));
    const passed = results.filter(({ status }) => status === "fulfilled").length;
    expect(passed).toBeLessThanOrEqual(10);
    expect(await countRows()).toBe(passed);
  });

  it("can't run in a transaction, which would hide them from each other", async () => {
    const context = withRules();
    const { cardTry, payer } = newCardTry();
    await context.db.transaction().execute(async (tx) => {
      await expect(beginTry({ ...context, db: tx }, cardTry)).rejects.toThrow("Bug");
      await expect(assess({ ...context, db: tx }, cardTry, payer)).rejects.toThrow("Bug");
    });
  });
});

describe("an account under attack", () => {
  it("requires authentication at 10 declines of 50, declines at 50 of 100, and has no limits again an hour later", async () => {
    const context = withRules();
    const verdicts: string[] = [];
    for (let i = 0; i < 150; i++) {
      const { cardTry, payer } = newCardTry();
      await beginTry(context, cardTry);
      const { verdict } = await assess(context, cardTry, payer);
      verdicts.push(verdict);
      // One stolen card in ten works, and the attacker never passes a challenge.
      const outcome =
        verdict === "decline" ? "rejected" : verdict === "challenge" || i % 10 > 0 ? "declined" : "approved";
      await recordOutcome(context.db, cardTry.decisionId, outcome);
    }
    expect(verdicts).toEqual([...times(50, "approve"), ...times(50, "challenge"), ...times(50, "decline")]);

    clock = new Date(clock.getTime() + hour);
    expect(await tryCard(context)).toEqual({ level: "normal", reasons: [], verdict: "approve" });
  });

  it("approves returning customers, unless another rule applies to them", async () => {
    const context = withRules("account_velocity=100/h:challenge; amount_unusual=3x of 1/30d:challenge");
    await tryCard(context, {}, "approved");
    await tryCards(context, 120, {}, "declined");
    expect((await tryCard(context)).reasons).toEqual(["account_velocity", "account_decline_ratio"]);
    expect(await tryCard(context, { isReturning: true })).toEqual({ level: "normal", reasons: [], verdict: "approve" });
    expect((await tryCard(context, { isReturning: true, amount: 999_999 })).reasons).toEqual(["amount_unusual"]);
  });

  it("doesn't count abandoned or pending attempts or those that our own rules declined", async () => {
    const context = withRules("account_decline_ratio=20% of 10/h:decline");
    await tryCards(context, 8, {}, "approved");
    for (const outcome of ["abandoned", "rejected", undefined] as const) await tryCards(context, 10, {}, outcome);
    await tryCards(context, 2, {}, "declined");
    expect((await tryCard(context, {}, "declined")).verdict).toBe("approve"); // 2 of 10
    expect((await tryCard(context)).reasons).toEqual(["account_decline_ratio"]); // 3 of 11
  });

  it.each([
    [null, "approved"],
    ["generic_decline", "declined"],
    ["insufficient_funds", "declined"],
    ["incorrect_cvc", "declined"],
    ["authentication_failed", "declined"],
    ["authentication_timed_out", "abandoned"],
    ["authentication_canceled", "abandoned"],
    ["processing_error", "abandoned"],
    ["issuer_not_available", "abandoned"],
    ["risk_rejected", "rejected"],
  ] as const)("counts %s as %s, because only a response about the card is a decline", (declineCode, outcome) => {
    expect(outcomeOf(declineCode)).toBe(outcome);
  });
});

describe("an unusual amount", () => {
  it("is more than three times the largest payment of an account that was paid at least twenty times", async () => {
    const context = withRules();
    for (let i = 0; i < 19; i++) await tryCard(context, { amount: 1000 + i }, "approved");
    expect((await tryCard(context, { amount: 999_999 }, "declined")).verdict).toBe("approve");
    await tryCards(context, 5, { amount: 0 }, "approved"); // these cards were only saved
    expect((await tryCard(context, { amount: 999_999 }, "declined")).verdict).toBe("approve");
    await tryCard(context, { amount: 2000 }, "approved");
    expect((await tryCard(context, { amount: 6000 })).verdict).toBe("approve");
    expect(await tryCard(context, { amount: 6001 })).toEqual({
      level: "elevated",
      reasons: ["amount_unusual"],
      verdict: "challenge",
    });
    expect((await tryCard(context, { amount: 6001, currency: "jpy" })).verdict).toBe("approve");
  });
});

describe("a renewal without the customer present", () => {
  const absent = { sessionId: null, ip: null };

  /** The row of an earlier attempt, inserted directly because storing 2,400 cards would take more than ten seconds. */
  function remembered(outcome: TryOutcome) {
    const { cardTry, payer } = newCardTry(absent);
    const { tenant, decisionId, amount, currency } = cardTry;
    const subject = {
      account_no: tenant.accountNo,
      livemode: tenant.livemode,
      session_id: null,
      fingerprint: payer.fingerprint,
    };
    return { ...subject, decision_id: decisionId, amount, currency, outcome, created_at: clock };
  }

  it("isn't blocked in a billing run of 2,500 in an hour with a fifth declined and one unusual amount", async () => {
    const context = withRules();
    const outcomeAt = (i: number) => (i % 5 === 0 ? "declined" : "approved");
    const earlier = times(2400, null).map((_, i) => remembered(outcomeAt(i)));
    await database.db.insertInto("card_try").values(earlier).execute();
    const verdicts = new Set<string>();
    for (let i = 0; i < 100; i++) {
      const amount = i === 50 ? 999_999 : 4900;
      verdicts.add((await tryCard(context, { ...absent, amount }, outcomeAt(i))).verdict);
    }
    expect([...verdicts]).toEqual(["approve"]);
    // Customers who pay at the checkout meanwhile aren't blocked either.
    expect(await tryCard(context, { amount: 999_999 })).toEqual({ level: "normal", reasons: [], verdict: "approve" });
  });

  it("continues while an attacker tests cards at the account's checkout", async () => {
    const context = withRules();
    for (let i = 0; i < 120; i++) {
      await tryCard(context, {}, "declined");
      await tryCard(context, absent, "approved");
    }
    expect((await tryCard(context)).reasons).toEqual(["account_decline_ratio"]);
    expect((await tryCard(context, absent)).verdict).toBe("approve");
  });

  it("is still subject to the limits per card", async () => {
    const verdicts = await tryCards(withRules(), 12, { ...absent, card: "the card" });
    expect(verdicts).toEqual([...times(5, "approve"), ...times(5, "challenge"), ...times(2, "decline")]);
  });

  it("doesn't share the account's limit with the checkout", async () => {
    const context = withRules("account_tries=3/h");
    await tryCards(context, 3);
    expect((await refusalOf(tryCard(context))).code).toBe("rate_limited");
    await tryCards(context, 3, absent);
    expect((await refusalOf(tryCard(context, absent))).code).toBe("rate_limited");
  });
});

describe("several rules at once", () => {
  it("are all named as reasons, and the strictest decides", async () => {
    const context = withRules("card_velocity=0/h:challenge; ip_velocity=0/h:decline; account_velocity=0/h:challenge");
    expect(await tryCard(context)).toEqual({
      level: "high",
      reasons: ["card_velocity", "ip_velocity", "account_velocity"],
      verdict: "decline",
    });
  });
});

describe("the risk record", () => {
  it("is empty when risk is off", async () => {
    const verdicts = await tryCards(withRules("off"), 70, { card: "the card", ip: "203.0.113.7" });
    expect(new Set(verdicts)).toEqual(new Set(["approve"]));
    expect(await countRows()).toBe(0);
  });

  it("keeps the first outcome reported", async () => {
    const context = withRules();
    const { cardTry } = newCardTry();
    await beginTry(context, cardTry);
    await recordOutcome(context.db, cardTry.decisionId, "approved");
    await recordOutcome(context.db, cardTry.decisionId, "declined");
    await deleteTry(context.db, cardTry.decisionId);
    const row = await database.db
      .selectFrom("card_try")
      .select("outcome")
      .where("decision_id", "=", cardTry.decisionId)
      .executeTakeFirst();
    expect(row).toEqual({ outcome: "approved" });
  });

  it("is deleted after thirty days", async () => {
    const context = withRules();
    const batches: number[] = []; // rows of the earlier tests
    do batches.push(await deleteOldTries(context, 100));
    while (batches.at(-1) !== 0);
    expect(Math.max(...batches)).toBe(100);
    await tryCards(context, 3);
    clock = new Date(clock.getTime() + 30 * day - 1);
    await tryCard(context);
    expect(await deleteOldTries(context, 100)).toBe(0);
    clock = new Date(clock.getTime() + 1);
    expect(await deleteOldTries(context, 100)).toBe(3);
    expect(await countRows()).toBe(1);
    const shared = database.db.selectFrom("shared_try").select("created_at");
    expect(await shared.execute()).toEqual([{ created_at: new Date(clock.getTime() - 1) }]);
  });
});

describe("a challenge that the rules require", () => {
  it.each([
    ["authenticated", true],
    ["attempted", true],
    ["exempted", false],
    ["unavailable", false],
    ["not_supported", false],
    ["protocol_error", false],
    ["failed", false],
  ] as const)("ends as %s (payment may continue: %s)", (result, confirmed) => {
    const ended = { result, flow: null };
    expect(isConfirmed({ risk_level: "elevated", risk_reasons: ["ip_velocity"] }, ended)).toBe(confirmed);
    expect(isConfirmed({ risk_level: "high", risk_reasons: ["ip_velocity"] }, ended)).toBe(confirmed);
    expect(isConfirmed({ risk_level: "normal", risk_reasons: [] }, ended)).toBe(true);
  });

  it.each([
    ["authenticated", "challenge", true],
    ["authenticated", "decoupled", true],
    ["authenticated", null, false],
    ["attempted", "challenge", false],
    ["attempted", null, false],
    ["not_supported", null, false],
  ] as const)(
    "needs the customer's own confirmation if the bucket is empty: %s after %s (may continue: %s)",
    (result, flow, confirmed) => {
      const risk = { risk_level: "elevated", risk_reasons: ["new_customers"] } as const;
      expect(isConfirmed(risk, { result, flow })).toBe(confirmed);
    },
  );
});
