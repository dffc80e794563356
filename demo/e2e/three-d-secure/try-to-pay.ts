/**
 * One customer's payment on a merchant's page, and its outcome according to the service's record, its events and the
 * bank's ledger. Each payment has a unique amount and email, which identify it in the bank's ledger.
 */
import { randomInt } from "node:crypto";
import { expect, type FrameLocator, type Page } from "@playwright/test";
import type { Charge, Decision } from "@oriel/protocol/api";
import type { DeclineCode } from "@oriel/protocol/declines";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { bankPage, cardOf, pay } from "../checkout.ts";
import { countRequests } from "../count-requests.ts";
import { formIn } from "../hosts/host-checkout.ts";
import { appPage, pageAddress } from "../hosts/host-page.ts";
import { openSession, oriel, sessionOf, type SessionFields } from "../hosts/sessions.ts";
import { addresses } from "../urls.ts";
import { authenticationsOf, authorizationsOf, type Known } from "./bank-records.ts";

export interface Try extends Known {
  page: Page;
  form: FrameLocator;
  sessionId: string;
  embedUrl: string;
  /** The merchant's page. */
  address: string;
  amount: number;
  /** The position in the event feed before the payment. */
  cursor: string;
  /** How many CReqs this browser page posted to the bank. */
  creqs(): number;
}

/** Contains no digits, because they could be mistaken for a card number. */
const letters = "abcdefghijklmnopqrstuvwxyz";

/** Opens a merchant's page with the checkout. */
export async function beginTry(page: Page, fields: SessionFields = {}): Promise<Try> {
  const amount = randomInt(10_000, 5_000_000);
  const email = `${Array.from({ length: 16 }, () => letters[randomInt(letters.length)]).join("")}@example.com`;
  const { cursor } = await oriel().events.walk({ after: "now" });
  const session = await openSession({ amount, ...fields });
  const creqs = countCReqs(page);
  const address = await pageAddress(
    appPage("esm", { embedUrl: session.embedUrl, locale: "en", defaultValues: { email } }),
  );
  await page.goto(address);
  return { page, form: formIn(page), ...session, address, amount, email, id: null, cursor, creqs };
}

/** Opens a merchant's page like {@link beginTry}, and pays with a card. */
export async function payBy(page: Page, number: string, fields: SessionFields = {}): Promise<Try> {
  const started = await beginTry(page, fields);
  await pay(started.form, cardOf(number));
  return started;
}

/** Pays with a card that has a challenge, and reaches the bank's page. */
export async function payUntilChallenge(page: Page): Promise<Try> {
  const tried = await payBy(page, threeDSecureCards.challenge[0]);
  await expect((await bankPage(page)).getByLabel("Code")).toBeVisible();
  return tried;
}

/** Opens the same session in another tab. */
export async function openAgain(tried: Try, page: Page): Promise<Try> {
  const creqs = countCReqs(page);
  await page.goto(tried.address);
  return { ...tried, page, form: formIn(page), creqs };
}

/** Counts this page's POSTs to the bank's challenge URL, including those from its iframes. */
function countCReqs(page: Page): () => number {
  return countRequests(
    page,
    (request) => request.method() === "POST" && request.url() === `${addresses.bank}/acs/challenge`,
  );
}

type ThreeDSecure = NonNullable<Decision["three_d_secure"]>;

export interface End {
  /** `paid`, or the charge's `decline_code`. */
  charge: "paid" | DeclineCode;
  result: ThreeDSecure["result"];
  /** Whether the issuer is liable for fraud. */
  shift: boolean;
  version?: string;
  /** The transStatus of every ARes in order. Each AReq has exactly one. `Erro` if it got an error. */
  aresStatuses: readonly string[];
  /** Total number of CReqs. By default one for each challenge. */
  creqs?: number;
  /** transStatus of each RReq. Null, the default, if there was none. */
  results?: readonly (string | null)[];
  /** The acquirer's responses, in order. Each belongs to one authorization, which was requested once. */
  authorizations: readonly ("approved" | "declined")[];
}

/** The end of a payment that the issuer authenticates without a challenge. */
export const passedWithoutChallenge = {
  charge: "paid",
  result: "authenticated",
  shift: true,
  aresStatuses: ["Y"],
  authorizations: ["approved"],
} as const satisfies End;

/** The end of a payment with a passed challenge. */
export const passedChallenge = {
  ...passedWithoutChallenge,
  aresStatuses: ["C"],
  results: ["Y"],
} as const satisfies End;

/** The end of a payment with a failed challenge. */
export const failedChallenge = {
  charge: "authentication_failed",
  result: "failed",
  shift: false,
  aresStatuses: ["C"],
  results: ["N"],
  authorizations: [],
} as const satisfies End;

/** The end of a payment that the customer cancels on our page, so the bank reports no result. */
export const canceledChallenge = {
  ...failedChallenge,
  charge: "authentication_canceled",
  result: "canceled",
  results: [null],
} as const satisfies End;

/** Waits until the payment has ended and compares everything with the expected end. */
export async function expectEnd(tried: Try, end: End): Promise<void> {
  const charge = await chargeOf(tried);
  expect(charge.status === "succeeded" ? "paid" : charge.failure?.decline_code, "the charge").toBe(end.charge);
  const session = await sessionOf(tried.sessionId);
  expect(session.payment_status, "the session").toBe(end.charge === "paid" ? "paid" : "unpaid");

  const decision = await oriel().decisions.retrieve(charge.decision_id);
  expect(decision.three_d_secure, "result of 3-D Secure").toMatchObject({
    result: end.result,
    liability_shift: end.shift,
    ...(end.version && { version: end.version }),
  });
  await expectOneEvent(tried, charge);

  const authentications = await authenticationsOf(tried);
  expect(
    authentications.map(({ transStatus, messages }) => [transStatus ?? "Erro", messages.AReq]),
    "AReqs, each sent once, and their responses",
  ).toEqual(end.aresStatuses.map((status) => [status, 1]));
  const challenges = end.aresStatuses.filter((status) => status === "C").length;
  const creqs = authentications.reduce((sum, { messages }) => sum + messages.CReq, 0);
  expect(creqs, "CReqs").toBe(end.creqs ?? challenges);
  const results = end.results ?? end.aresStatuses.map(() => null);
  expect(
    authentications.map(({ result, messages }) => [result?.transStatus ?? null, messages.RReq, messages.RRes]),
    "RReqs, each sent and acknowledged once",
  ).toEqual(results.map((result) => [result, result === null ? 0 : 1, result === null ? 0 : 1]));

  const authorizations = await authorizationsOf(tried.amount);
  expect(
    authorizations.map(({ status, requests }) => [status, requests]),
    "authorizations, each requested once",
  ).toEqual(end.authorizations.map((status) => [status, 1]));
}

/** The session's only charge, once it has ended. */
export async function chargeOf({ sessionId }: Try): Promise<Charge> {
  const charges = async () => (await oriel().charges.list({ session_id: sessionId })).data;
  await expect
    .poll(async () => (await charges()).map(({ status }) => status), {
      message: "the charge has ended",
      timeout: 20_000,
    })
    .toEqual([expect.stringMatching(/^(succeeded|failed)$/)]);
  const [charge] = await charges();
  if (!charge) throw new Error("The charge has disappeared");
  return charge;
}

/** Expects exactly one event about the end of this charge, of the right type. */
export async function expectOneEvent(tried: Try, charge: Charge): Promise<void> {
  const type = charge.status === "succeeded" ? "payment.succeeded" : "payment_failed";
  expect(await finalEvents(tried)).toEqual([{ type, id: charge.id, decline: charge.failure?.decline_code }]);
}

/** The merchant's events about the session's charges, oldest first. */
export async function finalEvents({ sessionId, cursor }: Pick<Try, "sessionId" | "cursor">) {
  const received = [];
  for await (const { data } of oriel().events.walkAll({ after: cursor })) {
    for (const { type, data: about } of data) {
      if (type !== "payment.succeeded" && type !== "payment_failed") continue;
      const charge = about.object as Charge; // the object of both event types
      if (charge.session_id === sessionId)
        received.push({ type, id: charge.id, decline: charge.failure?.decline_code });
    }
  }
  return received;
}
