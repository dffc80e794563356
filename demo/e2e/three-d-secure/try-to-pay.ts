/**
 * One customer's try to pay on a merchant's page, and where it ended: by the service's record, by its events, and by
 * the books of the bank. Each try has an amount and an address of its own, by which the bank's books know it.
 */
import { randomInt } from "node:crypto";
import { expect, type FrameLocator, type Page } from "@playwright/test";
import type { Charge, Decision } from "@oriel/protocol/api";
import type { DeclineCode } from "@oriel/protocol/declines";
import { addresses } from "../addresses.ts";
import { cardOf, pay } from "../checkout.ts";
import { countRequests } from "../count-requests.ts";
import { appPage, pageAddress } from "../hosts/host-page.ts";
import { tillIn } from "../hosts/host-till.ts";
import { openSession, oriel, sessionOf, type SessionFields } from "../hosts/sessions.ts";
import { authenticationsOf, authorizationsOf, type Known } from "./bank-books.ts";

export interface Try extends Known {
  page: Page;
  till: FrameLocator;
  sessionId: string;
  embedUrl: string;
  /** Of the merchant's page. */
  address: string;
  amount: number;
  /** Of the events, before anything happened. */
  cursor: string;
  /** How often this browser page brought the bank a CReq. */
  creqs(): number;
}

/** An address of digits could be taken for a card. */
const letters = "abcdefghijklmnopqrstuvwxyz";

/** A merchant's page with the checkout in it. */
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
  return { page, till: tillIn(page), ...session, address, amount, email, id: null, cursor, creqs };
}

/** The same, and a card is paid with. */
export async function payBy(page: Page, number: string, fields: SessionFields = {}): Promise<Try> {
  const started = await beginTry(page, fields);
  await pay(started.till, cardOf(number));
  return started;
}

/** Counts what goes to the address of the bank's challenge, in the windows of this browser page. */
export function countCReqs(page: Page): () => number {
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
  /** The liability for a fraud is the issuer's. */
  shift: boolean;
  version?: string;
  /** The transStatus of every ARes, in order: each AReq has exactly one. `Erro`: it was answered by one. */
  answers: readonly string[];
  /** CReqs in all: one for each challenge, unless said otherwise. */
  creqs?: number;
  /** What the RReq of each of those said; null where there was none, which is so unless said otherwise. */
  results?: readonly (string | null)[];
  /** What the acquirer said, in order: each is one authorisation, asked for once. */
  authorizations: readonly ("approved" | "declined")[];
}

/** Waits until the try is over and compares all of it. */
export async function expectEnd(tried: Try, end: End): Promise<void> {
  const charge = await chargeOf(tried);
  expect(charge.status === "succeeded" ? "paid" : charge.failure?.decline_code, "the charge").toBe(end.charge);
  const session = await sessionOf(tried.sessionId);
  expect(session.payment_status, "the session").toBe(end.charge === "paid" ? "paid" : "unpaid");

  const decision = await oriel().decisions.retrieve(charge.decision_id);
  expect(decision.three_d_secure, "what 3-D Secure came to").toMatchObject({
    result: end.result,
    liability_shift: end.shift,
    ...(end.version && { version: end.version }),
  });
  await expectOneEvent(tried, charge);

  const asked = await authenticationsOf(tried);
  expect(
    asked.map(({ transStatus, messages }) => [transStatus ?? "Erro", messages.AReq]),
    "AReqs, each asked once, and their answers",
  ).toEqual(end.answers.map((answer) => [answer, 1]));
  const challenges = end.answers.filter((answer) => answer === "C").length;
  const creqs = asked.reduce((sum, { messages }) => sum + messages.CReq, 0);
  expect(creqs, "CReqs").toBe(end.creqs ?? challenges);
  const results = end.results ?? end.answers.map(() => null);
  expect(
    asked.map(({ result, messages }) => [result?.transStatus ?? null, messages.RReq, messages.RRes]),
    "RReqs, each sent and answered once",
  ).toEqual(results.map((result) => [result, result === null ? 0 : 1, result === null ? 0 : 1]));

  const authorizations = await authorizationsOf(tried.amount);
  expect(
    authorizations.map(({ status, requests }) => [status, requests]),
    "authorisations, each asked for once",
  ).toEqual(end.authorizations.map((status) => [status, 1]));
}

/** The one charge of the session, once it has ended. */
export async function chargeOf({ sessionId }: Try): Promise<Charge> {
  const charges = async () => (await oriel().charges.list({ session_id: sessionId })).data;
  await expect
    .poll(async () => (await charges()).map(({ status }) => status), {
      message: "the charge has ended",
      timeout: 20_000,
    })
    .toEqual([expect.stringMatching(/^(succeeded|failed)$/)]);
  const [charge] = await charges();
  if (!charge) throw new Error("The charge is gone again");
  return charge;
}

/** Exactly one of the two events of a charge's end, about this one. */
export async function expectOneEvent(tried: Try, charge: Charge): Promise<void> {
  const type = charge.status === "succeeded" ? "payment.succeeded" : "payment_failed";
  expect(await finalEvents(tried)).toEqual([{ type, id: charge.id, decline: charge.failure?.decline_code }]);
}

/** What the merchant was told of the session's charges, oldest first. */
export async function finalEvents({ sessionId, cursor }: Pick<Try, "sessionId" | "cursor">) {
  const told = [];
  for await (const { data } of oriel().events.walkAll({ after: cursor })) {
    for (const { type, data: about } of data) {
      if (type !== "payment.succeeded" && type !== "payment_failed") continue;
      const charge = about.object as Charge; // what these two are about
      if (charge.session_id === sessionId) told.push({ type, id: charge.id, decline: charge.failure?.decline_code });
    }
  }
  return told;
}
