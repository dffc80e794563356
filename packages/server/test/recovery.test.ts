/**
 * Tests acquirer failures during every operation: no response claims an outcome that is unknown, the same key gets the
 * outcome in the end, and the acquirer did it once.
 */
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { readerPauseSeconds } from "../src/payments/attempts/deadlines.ts";
import { addFaults, clearFaults, countFaults, type FaultName, type FaultRule } from "./setup/bank-ledger.ts";
import { attemptKinds, prepare, type BankWork } from "./setup/bank-work.ts";
import { expectError, type Refusal } from "./setup/expect-error.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService, type ApiResponse } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

/** Long enough for a working acquirer, even on a busy machine. */
const bankTimeoutMs = 2_500;
/** The acquirer isn't called again for this long after it didn't respond. */
const pauseMs = readerPauseSeconds * 1000;

const service = await openForTests(startTestService({ bankTimeoutMs }));
const merchant = await newMerchant(service);
afterEach(() => clearFaults(service));

const unknown: Refusal = { status: 503, type: "api_error", code: "payment_outcome_unknown" };
const money = ["authorization", "capture", "cancel", "refund"] as const;
/** Makes status checks fail, so that nothing finds the outcome in the meantime. */
const noLookups: FaultRule[] = [{ match: { kind: "lookup" }, fault: "down" }];

/** The fault for the first request of every operation that moves money. */
function strikeOnce(fault: FaultName, ms?: number): FaultRule[] {
  return money.map((kind) => ({
    match: { kind },
    fault,
    times: kind === "authorization" ? 2 : 1,
    ...(ms === undefined ? {} : { ms }),
  }));
}

function prepareAll(isDeclined = false): Promise<BankWork[]> {
  // No test card makes a cancellation fail.
  const kinds = isDeclined ? attemptKinds.filter((kind) => kind !== "cancel") : attemptKinds;
  return Promise.all(kinds.map((kind) => prepare(service, merchant, kind, { isDeclined })));
}

/** Maps each kind to a result, so that a failed assertion shows which kind it was. */
async function ofAll<T>(works: BankWork[], run: (work: BankWork) => Promise<T>): Promise<Record<string, T>> {
  return Object.fromEntries(await Promise.all(works.map(async (work) => [work.kind, await run(work)] as const)));
}

/** Returns "unknown" if the response says that the outcome is unknown and when to retry. */
function expectUnknown({ kind }: BankWork, { status, body, headers }: ApiResponse): string {
  if (kind === "verify") return String(body["payment"]?.["status"]) === "processing" ? "unknown" : JSON.stringify(body);
  const isRefused =
    status === unknown.status &&
    String(body["error"]?.["code"]) === unknown.code &&
    Number(headers["retry-after"]) >= 1;
  return isRefused ? "unknown" : JSON.stringify(body);
}

/** Sends all requests and expects each to return that the outcome is unknown. */
async function sendAllUnknown(works: BankWork[]): Promise<void> {
  const said = await ofAll(works, async (work) => expectUnknown(work, await work.send()));
  expect(said).toEqual(await ofAll(works, async () => "unknown"));
}

function finalResponse(work: BankWork): Promise<ApiResponse> {
  return until(`the acquirer's response to ${work.kind}`, async () => {
    const response = await work.send();
    const isKnown =
      work.kind === "verify" ? String(response.body["payment"]?.["status"]) !== "processing" : response.status !== 503;
    return isKnown ? response : null;
  });
}

/** Every caller gets the same response, now and later, and the acquirer performed the operation once. */
async function expectRunOnce(works: BankWork[], outcome: "approved" | "declined"): Promise<void> {
  service.moveClock(pauseMs);
  const final = await ofAll(works, finalResponse);
  for (const work of works) {
    expect({ kind: work.kind, status: final[work.kind]?.status }).toEqual({
      kind: work.kind,
      status: work.expected.status,
    });
  }
  expect(await ofAll(works, (work) => work.state())).toEqual(
    await ofAll(works, async ({ expected }) => expected.state),
  );
  const again = await ofAll(works, (work) => work.send());
  for (const { kind } of works.filter((work) => work.kind !== "verify")) {
    expect(again[kind]?.text).toBe(final[kind]?.text);
    expect(again[kind]?.headers["idempotent-replayed"]).toBe("true");
  }
  expect(await ofAll(works, (work) => work.booked())).toEqual(await ofAll(works, async () => [`${outcome} 1`]));
  expect(await ofAll(works, (work) => work.events())).toEqual(
    await ofAll(works, async ({ expected }) => expected.events),
  );
}

describe("an operation during an acquirer failure", () => {
  it.each<[string, FaultRule[], boolean]>([
    ["does nothing and never responds", strikeOnce("timeout_before"), false],
    ["does it and never responds", strikeOnce("timeout_after"), true],
    ["does it and responds after the client has given up", strikeOnce("late", bankTimeoutMs + 1_500), true],
    ["does nothing and returns 500", strikeOnce("error_before"), false],
    ["does it and returns 500", strikeOnce("error_after"), true],
    ["does it and returns garbage", strikeOnce("garbage"), true],
    ["is down", strikeOnce("down"), false],
  ])(
    "has an unknown outcome until it can be checked, and runs once, when the acquirer %s",
    async (_name, faults, isDone) => {
      const works = await prepareAll();
      await addFaults(service, ...noLookups, ...faults);
      await sendAllUnknown(works);
      expect(await countFaults(service)).toBeGreaterThanOrEqual(5);
      // Neither success nor failure is assumed.
      expect(await ofAll(works, (work) => work.state())).toEqual(await ofAll(works, async () => "processing"));
      expect(await ofAll(works, (work) => work.events())).toEqual(await ofAll(works, async () => []));
      expect(await ofAll(works, (work) => work.booked())).toEqual(
        await ofAll(works, async () => (isDone ? ["approved 1"] : [])),
      );

      await clearFaults(service);
      await expectRunOnce(works, "approved");
    },
  );

  it.each<[string, FaultRule[]]>([
    ["declines and never responds", strikeOnce("timeout_after")],
    ["declines and returns 500", strikeOnce("error_after")],
    ["declines and returns garbage", strikeOnce("garbage")],
    ["declines the second attempt", strikeOnce("down")],
  ])("ends as a decline when the acquirer %s", async (_name, faults) => {
    const works = await prepareAll(true);
    await addFaults(service, ...faults);
    await sendAllUnknown(works);
    await expectRunOnce(works, "declined");
  });

  it("is processed once when the acquirer responds twice", async () => {
    const works = await prepareAll();
    await addFaults(service, ...strikeOnce("answer_twice"));
    const first = await ofAll(works, (work) => work.send());
    for (const { kind, expected } of works)
      expect({ kind, status: first[kind]?.status }).toEqual({ kind, status: expected.status });
    expect(await countFaults(service)).toBe(5);
    await expectRunOnce(works, "approved");
  });

  it("keeps five callers waiting for one response when the acquirer is late, but in time", async () => {
    const works = (await prepareAll()).filter(({ kind }) => kind !== "verify");
    await addFaults(service, ...strikeOnce("late", 400));
    const responses = await ofAll(works, (work) => Promise.all(Array.from({ length: 5 }, () => work.send())));
    for (const [kind, ofKind] of Object.entries(responses)) {
      const texts = new Set(ofKind.filter(({ status }) => status !== 503).map(({ text }) => text));
      expect({ kind, texts: texts.size }).toEqual({ kind, texts: 1 });
    }
    await expectRunOnce(works, "approved");
  });

  it("is checked until the acquirer responds when every check fails for a while", async () => {
    const works = await prepareAll();
    await addFaults(service, ...strikeOnce("error_after"), { match: { kind: "lookup" }, fault: "garbage", times: 8 });
    await ofAll(works, (work) => work.send());
    await expectRunOnce(works, "approved");
  });
});

describe("an unknown outcome", () => {
  it("is returned as an error that says when to retry, not as a failed payment", async () => {
    const work = await prepare(service, merchant, "authorize");
    await addFaults(service, ...strikeOnce("down"), ...noLookups);
    expectError(await work.send(), unknown);
  });
});

describe("a read of a charge or a refund of unknown outcome", () => {
  it.each(["authorize", "capture", "cancel", "refund"] as const)("checks with the acquirer for %s", async (kind) => {
    const work = await prepare(service, merchant, kind);
    await addFaults(service, ...strikeOnce("error_after"), ...noLookups);
    await sendAllUnknown([work]);
    await clearFaults(service);
    const attempt = service.context.db
      .selectFrom("attempt")
      .selectAll()
      .where("id", "=", await work.attemptId());
    const { charge_id, refund_id } = await attempt.executeTakeFirstOrThrow();
    const path = refund_id === null ? `/api/v1/charges/${charge_id}` : `/api/v1/refunds/${refund_id}`;
    service.moveClock(pauseMs);
    const read = await until("the outcome", async () => {
      const { body } = await merchant.call("GET", path);
      return String(body["status"]) === work.expected.state ? body : null;
    });
    expect(read).toMatchObject({ status: work.expected.state });
    await expectRunOnce([work], "approved");
  });
});

describe("the idempotency key of a request with an unknown outcome", () => {
  it("is refused for a different request at once, and the decision is used up", async () => {
    const work = await prepare(service, merchant, "refund");
    await addFaults(service, ...strikeOnce("down"), ...noLookups);
    await sendAllUnknown([work]);
    const { key } = await service.context.db
      .selectFrom("idempotency_key")
      .select("key")
      .where("attempt_id", "=", await work.attemptId())
      .executeTakeFirstOrThrow();
    const other = await merchant.call(
      "POST",
      "/api/v1/refunds",
      { charge_id: "ch_1", amount: 7 },
      { "idempotency-key": key },
    );
    expectError(other, {
      status: 422,
      type: "idempotency_error",
      code: "idempotency_key_in_use",
      param: "Idempotency-Key",
    });
    await clearFaults(service);
    await expectRunOnce([work], "approved");
  });
});
