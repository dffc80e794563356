/**
 * Attacks a checkout with card numbers, through the real API with the vault and the bank. The stolen numbers aren't
 * enrolled in 3-D Secure, and one in twenty works, unless they're made up. Time stands still for the risk rules, so no
 * token is added.
 */
import { describe, expect, it } from "vitest";
import { passesLuhn } from "@oriel/protocol/card";
import { sharedTestCards, testCards, troubleCards } from "@oriel/protocol/test-cards";
import { createBank } from "@oriel/sandbox";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { setAcquirer } from "../src/merchants/accounts/accounts.ts";
import { ownedBy } from "../src/platform/storage/owned-by.ts";
import type { Tenant } from "../src/platform/tenant.ts";
import { openBankProxy } from "./setup/bank-proxy.ts";
import { openCheckout, type Checkout } from "./setup/customer.ts";
import { newMerchant } from "./setup/merchant.ts";
import { liveBankKeys, startTestService, type ApiResponse, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const numbers = 100;
/** On a busy machine, all of them take longer than the 20 seconds that the service usually waits for the bank. */
const timeoutMs = 50_000;
const bankTimeoutMs = 60_000;
const working = [
  testCards.mastercard,
  ...Object.values(sharedTestCards),
  troubleCards.capture_declined,
  troubleCards.refund_declined,
];

interface Attack {
  /** Whether the numbers are stolen, so that some work, or made up. */
  isStolen: boolean;
  /** Numbers that are tried at the same moment. */
  atOnce: number;
  triesPerAddress: number;
  triesPerSession: number;
  mode: "payment" | "setup";
}

const attacks = {
  burst: { isStolen: true, atOnce: numbers, triesPerAddress: 1, triesPerSession: 1, mode: "payment" },
  "made-up numbers": { isStolen: false, atOnce: 1, triesPerAddress: 8, triesPerSession: 1, mode: "payment" },
  "saving cards": { isStolen: true, atOnce: 1, triesPerAddress: 5, triesPerSession: 2, mode: "setup" },
} as const satisfies Record<string, Attack>;

const bank = await openForTests(createBank({ origin: "https://live-bank.example", ...liveBankKeys }));
const bankUrl = await bank.listen({ port: 0, host: "127.0.0.1" });
const trustProxy = ["127.0.0.0/8"];
const line = await openForTests(openBankProxy(bankUrl));
const service = await openForTests(
  startTestService({
    role: "api",
    risk: "on",
    live: true,
    liveBankUrl: line.url,
    trustProxy,
    bankTimeoutMs,
  }),
);

/** A number with a valid check digit that the bank doesn't know, and declines. */
function unknownNumber(n: number): string {
  const start = String(453_210_000_000_000 + n * 7919);
  return Array.from({ length: 10 }, (_, digit) => `${start}${digit}`).find(passesLuhn) ?? "";
}

function cardOf(n: number, { isStolen }: Attack): string {
  return isStolen && n % 20 === 7 ? (working[Math.floor(n / 20)] ?? "") : unknownNumber(n);
}

/**
 * Returns a function that waits until the payments of the attack's first moment are decided. A payment that is decided
 * after others were declined would find fewer tokens, so the number that reach the acquirer would be chance.
 */
function waitForDecisions({ atOnce }: Attack): (tenant: Tenant) => Promise<void> {
  let decided: Promise<unknown> | null = null;
  return async (tenant) => {
    const decisions = service.context.db.selectFrom("decision").select("id").where(ownedBy(tenant));
    decided ??= until("the decisions", async () => (await decisions.execute()).length >= atOnce || null, timeoutMs);
    await decided;
  };
}

/**
 * Attacks a shop in live mode, where any number can be used.
 *
 * @returns how many tries reached the acquirer
 */
async function run(attack: Attack): Promise<number> {
  const { call, accountId, tenant } = await newMerchant(service, { livemode: true });
  await setAcquirer(service.context.db, accountId, "kiln-1", service.context.now(), "test");
  const before = await countAuthorizations();
  const allDecided = waitForDecisions(attack);
  line.watch = async (request): Promise<"pass"> => {
    if (request === "POST /acquirer/authorizations") await allDecided(tenant);
    return "pass";
  };
  const order = attack.mode === "setup" ? { mode: "setup", amount: undefined, currency: undefined } : {};
  const open = new Map<number, Promise<Checkout>>();
  async function tryCard(n: number): Promise<void> {
    const ip = `203.0.0.${Math.floor(n / attack.triesPerAddress)}`;
    const session = Math.floor(n / attack.triesPerSession);
    const opening = open.get(session) ?? openCheckout({ call, frame: (...sent) => sendFrom(ip, ...sent) }, order);
    open.set(session, opening);
    await (await opening).pay(cardOf(n, attack));
  }
  for (let first = 0; first < numbers; first += attack.atOnce)
    await Promise.all(Array.from({ length: attack.atOnce }, (_, n) => tryCard(first + n)));
  // The page gets its response after two seconds, even if the outcome is still unknown.
  const attempts = service.context.db.selectFrom("attempt").select("id").where(ownedBy(tenant));
  const inProgress = attempts.where("status", "=", "processing");
  await until("the outcomes", async () => (await inProgress.execute()).length === 0 || null, timeoutMs);
  return (await countAuthorizations()) - before;
}

/** Sends a request of the checkout page from this address. */
async function sendFrom(
  ip: string,
  method: string,
  path: string,
  body?: unknown,
  token?: string,
): Promise<ApiResponse> {
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

describe("card testing", () => {
  it.each([
    // The bucket and the reserve.
    ["burst", 50],
    // Two cards of each address, until they cost more tokens, and then the reserve.
    ["made-up numbers", 26],
    // Saving a card without paying always requires a challenge.
    ["saving cards", 0],
  ] as const)(
    "%s: reaches the acquirer %i times",
    async (name, reached) => {
      expect(await run(attacks[name])).toBe(reached);
    },
    150_000,
  );
});
