/**
 * What a merchant's server does over the API: decisions, charges, captures, cancellations and refunds. In some cases a
 * request must fail: two charges with one decision, a capture concurrent with a cancellation, and concurrent refunds of
 * the same money.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Charge, Refund } from "@oriel/protocol/api";
import type { Chance } from "../chance.ts";
import { money, type ClientRecords, type Operation, type Sale } from "./client-records.ts";
import { GivenUp, type Sender } from "./send.ts";

export interface Client {
  sender: Sender;
  clientRecords: ClientRecords;
  chance: Chance;
}

/** Thrown when a client gets a response that can't be right. */
export class Unexpected extends Error {
  override readonly name = "Unexpected";
}

const cards = [
  "pm_card_visa",
  "pm_card_visa",
  "pm_card_visa",
  "pm_card_mastercard",
  "pm_card_declined_insufficient_funds",
  "pm_card_declined_generic",
] as const;

/** @param card - ID of a saved card. By default, one that needs no browser. */
export async function sellOverApi(client: Client, card = client.chance.pick<string>(cards)): Promise<void> {
  const { clientRecords, sender, chance } = client;
  const sale = clientRecords.openSale("api");
  const decided = await sender.send("/api/v1/decisions", { payment_method_id: card, ...money(sale) }, chance);
  if (decided.status !== 200) throw new Unexpected(`A decision got ${decided.status} ${decided.text}`);
  const { id } = JSON.parse(decided.text) as { id: string };
  await chargeWith(client, sale, { payment_method_id: card, decision_id: id });
}

/** Charges an approved decision and continues with the charge. */
export async function chargeWith(
  client: Client,
  sale: Sale,
  using: { payment_method_id: string; decision_id: string },
): Promise<void> {
  const { chance, sender } = client;
  const order = { ...money(sale), ...using, capture_method: chance.happens(0.5) ? "manual" : "automatic" };
  const racers = chance.happens(0.1) ? 2 : 1;
  const responses = Promise.all(Array.from({ length: racers }, () => sender.send("/api/v1/charges", order, chance)));
  if (chance.happens(0.15)) await Promise.all([responses, readDecision(client, using.decision_id)]);
  const [winner, ...more] = (await responses).filter(({ text }) => !text.includes('"decision_already_consumed"'));
  if (winner === undefined || more.length > 0 || ![200, 402].includes(winner.status)) {
    throw new Unexpected(`${racers} charges with one decision got ${JSON.stringify(await responses)}`);
  }
  sale.reported = winner.status === 200 ? "approved" : "declined";
  if (winner.status === 200) await goOn(client, sale, JSON.parse(winner.text) as Charge);
}

/** Runs the operations after an approved charge. */
export async function goOn(client: Client, sale: Sale, charge: Charge): Promise<void> {
  const { chance } = client;
  sale.chargeId = charge.id;
  sale.capturedAtOnce = charge.amount_captured;
  let captured = charge.amount_captured;
  if (charge.status === "authorized") {
    const isPartial = chance.happens(0.4);
    const part = isPartial ? chance.between(1, charge.amount) : charge.amount;
    const capture = () => operate(client, sale, "capture", part, isPartial ? { amount: part } : {});
    const cancel = () => operate(client, sale, "cancel", charge.amount, {});
    const choice = chance.next();
    if (choice < 0.5) captured = takenBy(await capture(), part);
    else if (choice < 0.7) await cancel();
    else if (choice < 0.9) captured = takenBy((await Promise.all([capture(), cancel()]))[0], part);
  }
  if (captured === 0 || chance.happens(0.5)) return;

  // Together they may exceed the captured amount, and then one is refused.
  const amounts = Array.from({ length: chance.between(1, 3) }, () => chance.between(1, captured));
  const refunds = amounts.map(
    (amount) => () => operate(client, sale, "refund", amount, { charge_id: charge.id, amount }),
  );
  if (chance.happens(0.5)) await Promise.all(refunds.map((refund) => refund()));
  else for (const refund of refunds) await refund();
}

const paths = { capture: "/capture", cancel: "/cancel", refund: null };

/**
 * 200, 402 (declined by the acquirer) and 400 (another request was first, or too little is left) are all valid. If the
 * acquirer only accepted it, reads the outcome until it's there.
 */
async function operate(
  client: Client,
  sale: Sale,
  kind: Operation["kind"],
  amount: number,
  body: object,
): Promise<Operation["outcome"]> {
  const { sender, chance } = client;
  const operation: Operation = { kind, amount, response: null, outcome: null };
  sale.operations.push(operation);
  const path = paths[kind] === null ? "/api/v1/refunds" : `/api/v1/charges/${sale.chargeId}${paths[kind]}`;
  const response = await sender.send(path, body, chance);
  operation.response = response;
  if (![200, 400, 402].includes(response.status))
    throw new Unexpected(`A ${kind} got ${response.status} ${response.text}`);
  operation.outcome =
    response.status === 400
      ? "refused"
      : response.status === 402
        ? "declined"
        : kind === "refund"
          ? await refundEnds(client, JSON.parse(response.text) as Refund)
          : await operationEnds(client, JSON.parse(response.text) as Charge, kind);
  return operation.outcome;
}

async function operationEnds(
  client: Client,
  charge: Charge,
  kind: "capture" | "cancel",
): Promise<"approved" | "declined"> {
  const path = `/api/v1/charges/${charge.id}`;
  const { status } = await readUntil<Charge>(client, path, charge, (latest) => latest.pending_operation === null);
  return status === (kind === "capture" ? "succeeded" : "canceled") ? "approved" : "declined";
}

async function refundEnds(client: Client, refund: Refund): Promise<"approved" | "declined"> {
  const path = `/api/v1/refunds/${refund.id}`;
  const { status } = await readUntil<Refund>(client, path, refund, (latest) => latest.status !== "pending");
  return status === "succeeded" ? "approved" : "declined";
}

/** Longer than any run may take to become quiet. */
const outcomeWithinMs = 10 * 60_000;

/** @throws GivenUp */
async function readUntil<T>(
  { sender, chance }: Client,
  path: string,
  first: T,
  isFinal: (object: T) => boolean,
): Promise<T> {
  const giveUpAt = Date.now() + outcomeWithinMs;
  let object = first;
  while (!isFinal(object)) {
    if (Date.now() > giveUpAt) throw new GivenUp(`No outcome of ${path}`);
    await pause(chance.between(300, 1_000));
    const { text } = await sender.repeat({ surface: "api", method: "GET", path, about: path }, chance);
    object = JSON.parse(text) as T;
  }
  return object;
}

function takenBy(outcome: Operation["outcome"], amount: number): number {
  return outcome === "approved" ? amount : 0;
}

/** Reads concurrently, because each read also triggers a lookup at the acquirer. */
async function readDecision({ sender, chance }: Client, decisionId: string): Promise<void> {
  const read = (path: string) => sender.repeat({ surface: "api", method: "GET", path, about: decisionId }, chance);
  const list = JSON.parse((await read(`/api/v1/charges?decision_id=${decisionId}`)).text) as {
    data?: { id: string }[];
  };
  for (const { id } of list.data ?? []) await read(`/api/v1/charges/${id}`);
}
