/**
 * The shop's server in sessions in which the customer can choose. It changes the cart while the customer pays, and
 * replies to promotion codes, which it learns of from the page and from the webhook.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { CheckoutSession, Event, UpdateCheckoutSession } from "@oriel/protocol/api";
import { partsOf, replyTo, type Prices } from "../cart.ts";
import { amountsPerSale, type Sale } from "./client-records.ts";
import { Unexpected, type Client } from "./flows.ts";
import { GivenUp } from "./send.ts";

/** The totals of an order with its choices are within the amounts that are reserved for its sale, or 0. */
export const prices: Prices = {
  postage: 3,
  vouchers: new Map<string, number | "all">([
    ["SPRING", 6],
    ["GIFT", "all"],
  ]),
};
/** What customers enter. */
export const codes = ["SPRING", "SPRING", "GIFT", "WINTER"];

/** How many totals an order's items have one after the other. */
export const cartsPerSale = 3;

/** What the items cost at first. Each change adds 1. */
export function itemsOf({ firstAmount }: Sale): number {
  return firstAmount + 6;
}

/** Whether the shop could have asked for this total. */
export function isOffered({ firstAmount, hasChoices }: Sale, amount: number): boolean {
  const more = hasChoices ? amountsPerSale : cartsPerSale;
  return (hasChoices && amount === 0) || (amount >= firstAmount && amount < firstAmount + more);
}

/** Changes what the items cost. A code that applies still does. */
export async function changeCart(client: Client, sessionId: string, items: number): Promise<void> {
  await change(client, sessionId, ({ discounts: [discount], version }) => ({
    ...partsOf(prices, items, discount?.name ?? null),
    if_version: version,
  }));
}

/** Accepts or rejects the session's code, if it's still pending. */
export async function replyToCode(client: Client, sessionId: string): Promise<void> {
  await change(client, sessionId, (session) => {
    const { collected, update_request } = session;
    if (collected.promotion_code === null || update_request?.status !== "pending") return null;
    return { ...replyTo(session, prices), if_promotion_code: collected.promotion_code };
  });
}

/** @returns a function that replies to the codes in webhooks */
export function replyToWebhooks(client: Client): (event: Event) => void {
  return ({ type, data }) => {
    if (type !== "checkout_session.update_requested") return;
    replyToCode(client, data.object.id).catch((error: unknown) => {
      if (!(error instanceof GivenUp)) client.clientRecords.unexpected.push(String(error));
    });
  };
}

/** Longer than a payment that fails. */
const maxTries = 100;
const pauseMs = 300;

/**
 * Reads the session and changes it, again if it was changed meanwhile. A reply to a code is sent again until no payment is
 * in progress. The cart isn't changed then, because the payment may wait for the shop.
 */
async function change(
  { clientRecords, sender, chance }: Client,
  sessionId: string,
  decide: (session: CheckoutSession) => UpdateCheckoutSession | null,
): Promise<void> {
  const random = chance.stream(sessionId);
  const about = { surface: "api", path: `/api/v1/checkout_sessions/${sessionId}`, about: sessionId } as const;
  for (let tries = 0; tries < maxTries; tries++) {
    const read = await sender.repeat({ ...about, method: "GET" }, random);
    const session = JSON.parse(read.text) as CheckoutSession;
    const body = session.status === "open" ? decide(session) : null;
    if (body === null) return;
    const { status, text } = await sender.repeat({ ...about, method: "PATCH", body }, random);
    const isReply = body.if_promotion_code !== undefined;
    if (status === 200) {
      if (isReply) clientRecords.replies++;
      else clientRecords.changed++;
      return;
    }
    if (/"(session_closed|promotion_code_mismatch)"/.test(text)) return;
    if (!isReply && text.includes('"session_payment_in_progress"')) return;
    if (!/"session_(version_mismatch|payment_in_progress)"/.test(text))
      throw new Unexpected(`A change of a session got ${status} ${text}`);
    await pause(pauseMs);
  }
}
