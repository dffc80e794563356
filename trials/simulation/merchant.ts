/**
 * The merchant's server: it repeats a request under the same key until it gets a definite response, or gives up. It
 * never charges an order again before the last charge has definitely failed.
 */
import type { CheckoutSession } from "@oriel/protocol/api";
import { itemsFor, replyTo, type Prices } from "../cart.ts";
import { createChance, type Chance } from "../chance.ts";
import { dataOf, textAt, type ApiResponse, type Json } from "./api-response.ts";
import type { Order, Response, World } from "./world.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** After a process death, its claim to an idempotency key lasts for 30 seconds. */
const leaseMs = 31 * secondMs;
const maxRepeats = 8;

/** Test payment methods that are used by the merchant's server, with how often each is chosen. */
const methods = ["pm_card_visa", "pm_card_visa", "pm_card_mastercard", "pm_card_declined_insufficient_funds"];

export const prices: Prices = { postage: 700, vouchers: new Map([["SPRING", 5_000]]) };
/** What customers enter. */
export const codes = [...prices.vouchers.keys(), "WINTER"];

export class MerchantServer {
  readonly #world: World;
  readonly #chance: Chance;
  #keys = 0;

  constructor(world: World) {
    this.#world = world;
    this.#chance = createChance(world.seed, "merchant");
  }

  /** Charges a test payment method for the order, without a checkout session. */
  async charge(order: Order, tries = 0): Promise<void> {
    const { amount, currency, captureMethod } = order;
    const method = this.#chance.pick(methods);
    await this.post("/decisions", { payment_method_id: method, amount, currency }, async (decided) => {
      const decision = textAt(decided.body, "id");
      if (decided.status !== 200 || decision === undefined) return;
      order.decisions.add(decision);
      const body = {
        payment_method_id: method,
        decision_id: decision,
        amount,
        currency,
        capture_method: captureMethod,
      };
      const withdraws = this.#chance.happens(0.4) ? decision : null;
      await this.post(
        "/charges",
        body,
        async ({ status, body: charge }) => {
          if (status === 200) return this.planLater(order, charge);
          const hasEnded = status === 402 || textAt(charge, "error", "code") === "decision_expired";
          if (hasEnded && tries < 2 && this.#chance.happens(0.7))
            this.#plan(this.#chance.between(1, 10) * minuteMs, `order ${order.number} again`, () =>
              this.charge(order, tries + 1),
            );
        },
        { withdraws },
      );
    });
  }

  /** Plans what follows an approved payment: a capture or cancellation, and refunds. */
  planLater(order: Order, charge: Json): void {
    const id = textAt(charge, "id");
    if (id === undefined) return;
    if (textAt(charge, "status") === "authorized") {
      const delayMs = this.#chance.pick([secondMs, 5 * minuteMs, 3 * hourMs, 60 * hourMs]);
      const choice = this.#chance.next();
      if (choice < 0.65) this.#plan(delayMs, `capture of order ${order.number}`, () => this.capture(order, id));
      else if (choice < 0.9) this.#plan(delayMs, `cancellation of order ${order.number}`, () => this.cancel(id));
      // Two people sometimes do different things at nearly the same time.
      if (this.#chance.happens(0.15))
        this.#plan(delayMs + this.#chance.between(0, 2_000), `another operation on order ${order.number}`, () =>
          this.#chance.happens(0.5) ? this.capture(order, id) : this.cancel(id),
        );
      return;
    }
    this.#planRefunds(order, id);
  }

  #planRefunds(order: Order, chargeId: string): void {
    const count = this.#chance.pick([0, 0, 1, 1, 2]);
    for (let i = 0; i < count; i++) {
      const delayMs = this.#chance.pick([secondMs, 10 * minuteMs, 7 * hourMs, 70 * hourMs]) + i * secondMs;
      this.#plan(delayMs, `refund of order ${order.number}`, () => this.refund(order, chargeId));
    }
  }

  /**
   * Plans changes of the session while the customer may be paying.
   * @param hasItems whether the total consists of parts
   * @param replaced receives a response with another URL
   */
  planChanges(sessionId: string, hasItems: boolean, replaced: (body: Json) => void): void {
    const count = this.#chance.pick([0, 0, 1, 2, 3]);
    for (let i = 0; i < count; i++)
      this.#plan(this.#chance.between(0, 120) * secondMs, "the cart changes", () => {
        const total = this.#total();
        return this.#change(sessionId, hasItems ? { line_items: itemsFor(total) } : { amount: total });
      });
    if (this.#chance.happens(0.2))
      this.#plan(this.#chance.between(0, 120) * secondMs, "the URL is replaced", () =>
        this.post(`/checkout_sessions/${sessionId}/embed_url`, {}, ({ status, body }) => {
          if (status === 200) replaced(body);
        }),
      );
  }

  /** Repeats a change whose response was lost. The repetition undoes a change in between. */
  async #change(sessionId: string, change: object): Promise<void> {
    const response = await this.#world.request("merchant", "api", "PATCH", sessionPath(sessionId), change);
    if (isLost(response) && this.#chance.happens(0.7))
      this.#plan(this.#chance.between(1, 30) * secondMs, "the same change again", () =>
        this.#change(sessionId, change),
      );
  }

  /** The customer has entered a code. The page may say so, and a webhook does. */
  planReplies(sessionId: string): void {
    if (this.#chance.happens(0.7))
      this.#plan(this.#chance.between(0, 3) * secondMs, "the page reports a code", () => this.#reply(sessionId));
    this.#plan(this.#chance.between(1, 90) * secondMs, "a webhook reports a code", () => this.#reply(sessionId));
  }

  /** Accepts or rejects the code. Repeats it if the response is lost, or if the order has changed or is being paid. */
  async #reply(sessionId: string, repeats = 0): Promise<void> {
    const path = sessionPath(sessionId);
    const session = await this.#world.request("merchant", "api", "GET", path);
    let replied: Response = null;
    if (!isLost(session)) {
      const code = textAt(session.body, "collected", "promotion_code");
      const isPending = textAt(session.body, "update_request", "status") === "pending";
      if (code === undefined || !isPending) return;
      // As the API describes it.
      const reply = { ...replyTo(session.body as unknown as CheckoutSession, prices), if_promotion_code: code };
      replied = await this.#world.request("merchant", "api", "PATCH", path, reply);
    }
    const error = textAt(replied?.body, "error", "code") ?? "";
    const again = isLost(replied) || ["session_version_mismatch", "session_payment_in_progress"].includes(error);
    if (again && repeats < maxRepeats)
      this.#plan(this.#chance.between(1, 30) * secondMs, "the reply to a code again", () =>
        this.#reply(sessionId, repeats + 1),
      );
  }

  /** Sometimes a voucher covers the whole order. */
  #total(): number {
    const total = this.#chance.between(5, 900) * 100;
    return total < 15_000 ? 0 : total;
  }

  async capture(order: Order, chargeId: string): Promise<void> {
    const body = this.#chance.happens(0.3) ? { amount: this.#part(order) } : {};
    await this.post(`/charges/${chargeId}/capture`, body, async ({ status }) => {
      if (status === 200) this.#planRefunds(order, chargeId);
    });
  }

  async cancel(chargeId: string): Promise<void> {
    this.#world.canceled.add(chargeId);
    await this.post(`/charges/${chargeId}/cancel`, {}, async () => {});
  }

  async refund(order: Order, chargeId: string): Promise<void> {
    const amount = this.#chance.happens(0.5) ? { amount: this.#part(order) } : {};
    await this.post("/refunds", { charge_id: chargeId, ...amount }, async () => {});
  }

  /**
   * Sends a request with a new key until there's a definite response.
   *
   * @param options.withdraws a decision whose charge is canceled while its outcome is unknown
   */
  async post(
    path: string,
    body: object,
    then: (response: ApiResponse) => Promise<void> | void,
    { withdraws = null }: { withdraws?: string | null } = {},
  ): Promise<void> {
    const key = `key-${++this.#keys}`;
    const withdrawsAfter = this.#chance.between(0, 3);
    const send = async (repeats: number): Promise<void> => {
      const response = await this.#world.request("merchant", "api", "POST", `/api/v1${path}`, body, {
        "idempotency-key": key,
      });
      const isDefinite = response !== null && response.status < 500 && response.status !== 409;
      if (isDefinite) return await then(response);
      if (withdraws !== null && repeats === withdrawsAfter) await this.#withdraw(withdraws);
      if (repeats >= maxRepeats || this.#chance.happens(0.05)) {
        this.#world.journal.note(`merchant: gives up ${path}`);
        return;
      }
      const pauseMs = this.#chance.between(2, 20) * secondMs * 2 ** repeats;
      const minMs = response === null ? leaseMs : 0;
      this.#plan(Math.max(minMs, pauseMs), `the same request again: ${path}`, () => send(repeats + 1));
    };
    await send(0);
  }

  /** Cancels a charge whose outcome is unknown, which stops its authorization. */
  async #withdraw(decisionId: string): Promise<void> {
    const path = `/api/v1/charges?decision_id=${decisionId}`;
    const found = await this.#world.request("merchant", "api", "GET", path);
    for (const charge of dataOf(found?.body)) await this.cancel(textAt(charge, "id") ?? "");
  }

  /** Part of an order's first amount. Adyen's unit of the Indonesian rupiah is 100 of ours. */
  #part({ amount }: Order): number {
    return Math.max(100, Math.floor((amount * this.#chance.between(1, 9)) / 1000) * 100);
  }

  #plan(delayMs: number, what: string, run: () => Promise<void>): void {
    this.#world.schedule.plan(delayMs, what, run);
  }
}

function sessionPath(id: string): string {
  return `/api/v1/checkout_sessions/${id}`;
}

function isLost(response: Response): response is null {
  return response === null || response.status >= 500;
}
