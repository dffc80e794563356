/**
 * Tests that the simulation of card testing (`npm run simulate:card-testing`) is right: the same attacks end in the same
 * way through the real API, with the vault and the bank. Time stands still for both. The stolen numbers aren't enrolled in
 * 3-D Secure, and one in twenty works, unless they're made up.
 */
import { passesLuhn } from "@oriel/protocol/card";
import { sharedTestCards, testCards, troubleCards } from "@oriel/protocol/test-cards";
import { createBank } from "@oriel/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createChance } from "../../../trials/chance.ts";
import { attack, runActions, type Target } from "../../../scripts/card-testing/run.ts";
import { shapes, type Shape } from "../../../scripts/card-testing/shapes.ts";
import { openWorld, type OpenSession, type Tried } from "../../../scripts/card-testing/world.ts";
import { setAcquirer } from "../src/merchants/accounts/accounts.ts";
import { ownedBy } from "../src/platform/storage/owned-by.ts";
import type { Tenant } from "../src/platform/tenant.ts";
import { openBankProxy, type BankProxy } from "./setup/bank-proxy.ts";
import { openCheckout, type Checkout } from "./setup/customer.ts";
import { newMerchant } from "./setup/merchant.ts";
import { liveBankKeys, startTestService, type Answer, type Json, type TestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const numbers = 100;
/** On a busy machine, all of them take longer than the 20 seconds that the service usually waits for the bank. */
const patienceMs = 50_000;
const bankPatienceMs = 60_000;
const working = [
  testCards.mastercard,
  ...Object.values(sharedTestCards),
  troubleCards.capture_declined,
  troubleCards.refund_declined,
];

/** In the order in which the attacker tries them. */
const cards = ({ working: share }: Shape) =>
  Array.from({ length: numbers }, (_, n) =>
    share > 0 && n % 20 === 7
      ? { number: working[Math.floor(n / 20)] ?? "", works: true }
      : { number: unknownNumber(n), works: false },
  );

let service: TestService;
let bankUrl: string;
let line: BankProxy;
const closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  const bank = await createBank({ origin: "https://live-bank.example", ...liveBankKeys });
  closers.push(() => bank.close());
  bankUrl = await bank.listen({ port: 0, host: "127.0.0.1" });
  const trustProxy = ["127.0.0.0/8"];
  line = await openBankProxy(bankUrl);
  closers.push(() => line.close());
  service = await startTestService({
    role: "api",
    risk: "on",
    live: true,
    liveBankUrl: line.url,
    trustProxy,
    bankPatienceMs,
  });
  closers.push(() => service.close());
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** A number with a valid check digit that the bank doesn't know, and declines. */
function unknownNumber(n: number): string {
  const start = String(453_210_000_000_000 + n * 7919);
  return Array.from({ length: 10 }, (_, digit) => `${start}${digit}`).find(passesLuhn) ?? "";
}

/** What the attacker got. */
interface Result {
  reachedAcquirer: number;
  approved: number;
}

async function run<Card>(target: Target<Card>, shape: Shape): Promise<Result> {
  const result = { reachedAcquirer: 0, approved: 0 };
  const count = ({ reachedAcquirer, outcome }: Tried) => {
    if (reachedAcquirer) result.reachedAcquirer++;
    if (outcome === "approved") result.approved++;
  };
  await runActions(attack(target, shape, numbers, createChance(1, "attack"), count));
  return result;
}

/**
 * Returns a function that waits until the payments of the attack's first moment are decided. A payment that is decided
 * after others were declined would find fewer tokens, so the number that reach the acquirer would be chance.
 */
function waitForDecisions({ atOnce }: Shape): (tenant: Tenant) => Promise<void> {
  let decided: Promise<unknown> | null = null;
  return async (tenant) => {
    const decisions = service.context.db.selectFrom("decision").select("id").where(ownedBy(tenant));
    const expected = Math.min(atOnce, numbers);
    decided ??= until("the decisions", async () => (await decisions.execute()).length >= expected || null, patienceMs);
    await decided;
  };
}

async function simulate(shape: Shape): Promise<Result> {
  const stolen = cards(shape);
  const { newCard, pay } = await openWorld(service.context, shape.name, waitForDecisions(shape));
  return await run({ newCard: (n) => newCard({ works: stolen[n]?.works ?? false, isEnrolled: false }), pay }, shape);
}

/** Attacks a shop in live mode, where any number can be used. */
async function attackThroughApi(shape: Shape): Promise<Result> {
  const { call, accountId, tenant } = await newMerchant(service, { livemode: true });
  await setAcquirer(service.context.db, accountId, "kiln-1", service.context.now(), "test");
  const open = new Map<OpenSession, Promise<Checkout>>();
  const before = await countAuthorizations();
  const stolen = cards(shape);
  const allDecided = waitForDecisions(shape);
  line.watch = async (request): Promise<"pass"> => {
    if (request === "POST /acquirer/authorizations") await allDecided(tenant);
    return "pass";
  };
  const target: Target<string> = {
    newCard: (n) => stolen[n]?.number ?? "",
    async pay({ card, payer: { ip }, session }) {
      const order = session.mode === "setup" ? { ...session, amount: undefined, currency: undefined } : session;
      const opening = open.get(session) ?? openCheckout({ call, frame: (...asked) => sendFrom(ip, ...asked) }, order);
      open.set(session, opening);
      const { body } = await (await opening).pay(card);
      const outcome = String(body["payment"]?.["status"]) === "succeeded" ? "approved" : "declined";
      return { outcome, wasChallenged: false, reachedAcquirer: false };
    },
  };
  const { approved } = await run(target, shape);
  // The page gets its response after two seconds, even if the outcome is still unknown.
  const attempts = service.context.db.selectFrom("attempt").select("id").where(ownedBy(tenant));
  const inProgress = attempts.where("status", "=", "processing");
  await until("the outcomes", async () => (await inProgress.execute()).length === 0 || null, patienceMs);
  return { approved, reachedAcquirer: (await countAuthorizations()) - before };
}

/** Sends a request of the checkout page from this address. */
async function sendFrom(ip: string, method: string, path: string, body?: unknown, token?: string): Promise<Answer> {
  const response = await fetch(new URL(path, service.config.checkoutOrigin), {
    method,
    headers: {
      "x-forwarded-for": ip,
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as Json, text, headers: {} };
}

async function countAuthorizations(): Promise<number> {
  const headers = { authorization: `Bearer ${liveBankKeys.apiKey}` };
  const response = await fetch(`${bankUrl}/acquirer/authorizations`, { headers });
  return ((await response.json()) as { authorizations: unknown[] }).authorizations.length; // documented shape
}

describe("the same attack through the API and in the simulation", () => {
  it.each([
    // The bucket and the reserve.
    ["burst", 50],
    // Two cards of each address, until they cost more tokens, and then the reserve.
    ["made-up numbers", 26],
    ["setup mode", 0],
  ])(
    "%s: reaches the acquirer %i times in both",
    async (name, reached) => {
      const shape = shapes.find((one) => one.name === name);
      if (shape === undefined) throw new Error(`There is no attack "${name}".`);
      const through = await attackThroughApi(shape);
      const expected = await simulate(shape);
      // Which of the simultaneous payments come first is chance, so the approved ones can differ.
      expect(through.reachedAcquirer).toBe(reached);
      expect(expected.reachedAcquirer).toBe(reached);
    },
    150_000,
  );
});
