/**
 * A customer who types in a card in a checkout session, and tries another card if the first is declined. If the session
 * offers it, the customer first chooses how to ship the order, and enters promotion codes.
 */
import { CompactEncrypt, importJWK, type JWK } from "jose";
import type { CReq } from "@oriel/protocol/threeds";
import { recordBrowserReturn } from "../../packages/server/src/payments/flow/threeds/browser-return.ts";
import { requestResult } from "../../packages/server/src/payments/flow/threeds/request-result.ts";
import { browser } from "../../packages/server/test/setup/customer.ts";
import { partsOf, shippingOptionIds } from "../cart.ts";
import { createChance, type Chance } from "../chance.ts";
import { dataOf, objectAt, textAt, type ApiResponse, type Json } from "./api-response.ts";
import { codes, prices, type MerchantServer } from "./merchant.ts";
import type { Order, World } from "./world.ts";

const secondMs = 1_000;
/** How often a customer makes a choice in a session. */
const maxChoices = 4;

/** How often each is typed in. Some need 3-D Secure, some fail later. */
const cards = [
  ..."4242424242424242 4242424242424242 5555555555554444 4000000000000002 4000000000009995".split(" "),
  ..."4000009001000002 4000000000007015 4000000000005126 4000009000700008".split(" "),
  ...Array<string>(3).fill("4100000000000076"), // needs a step-up
];

interface Page {
  order: Order;
  sessionId: string;
  token: string;
  encryption: Json;
  round: number;
  version: number;
  amount: number;
  /** The chosen shipping option. Undefined if there's nothing to choose. */
  shippingOption: string | undefined;
  tries: number;
}

export class Customer {
  /** The client secret of each session's latest URL. */
  readonly #secrets = new Map<string, string>();
  /** How often the customer has made a choice, by session. */
  readonly #choices = new Map<string, number>();
  readonly #world: World;
  readonly #merchant: MerchantServer;
  readonly #chance: Chance;

  constructor(world: World, merchant: MerchantServer) {
    this.#world = world;
    this.#merchant = merchant;
    this.#chance = createChance(world.seed, "customer");
  }

  /** The merchant creates a session, and the customer opens its page and pays. */
  async shop(order: Order): Promise<void> {
    const { amount, currency, captureMethod } = order;
    const hasChoices = this.#chance.happens(0.5);
    const session = {
      amount,
      currency,
      capture_method: captureMethod,
      allowed_origins: ["https://shop.example"],
      ...(hasChoices && { ...partsOf(prices, amount, null), collect: { promotion_code: true } }),
    };
    await this.#merchant.post("/checkout_sessions", session, async ({ status, body }) => {
      if (status !== 200) return;
      const sessionId = this.#receive(body);
      order.sessions.add(sessionId);
      this.#merchant.planChanges(sessionId, hasChoices, (replaced) => this.#receive(replaced));
      await this.#open(order, sessionId, 0);
    });
  }

  /** Keeps the URL that a response contains. @returns the session's ID */
  #receive(body: Json): string {
    const { pathname, hash } = new URL(textAt(body, "embed_url") ?? "");
    const sessionId = pathname.slice("/c/".length);
    this.#secrets.set(sessionId, hash.slice(1));
    return sessionId;
  }

  /** @param refusals how often the URL was refused because the merchant had replaced it */
  async #open(order: Order, sessionId: string, tries: number, lost?: string, refusals = 0): Promise<void> {
    const path = `/frame/sessions/${sessionId}/open`;
    const clientSecret = this.#secrets.get(sessionId);
    const opened = await this.#send("POST", path, { client_secret: clientSecret, ...(lost && { lost_request: lost }) });
    if (opened === null || opened.status >= 500) {
      this.#plan(5 * secondMs, "opens the page again", () => this.#open(order, sessionId, tries, lost, refusals));
      return;
    }
    if (opened.status === 401) {
      // The merchant may not have the new URL yet, and may never get it.
      if (refusals < 10)
        this.#plan(2 ** refusals * secondMs, "opens the page again", () =>
          this.#open(order, sessionId, tries, lost, refusals + 1),
        );
      return;
    }
    const { body } = opened;
    const page: Page = {
      order,
      sessionId,
      tries,
      token: textAt(body, "token") ?? "",
      encryption: objectAt(body, "encryption") ?? {},
      round: Number(textAt(body, "session", "payment_round")),
      version: Number(textAt(body, "session", "version")),
      amount: Number(textAt(body, "session", "amount")),
      shippingOption: textAt(body, "session", "shipping_option"),
    };
    const payment = objectAt(body, "payment");
    if (payment !== undefined) return await this.#follow(page, payment);
    const made = this.#choices.get(sessionId) ?? 0;
    if (page.shippingOption !== undefined && made < maxChoices && this.#chance.happens(0.6)) {
      this.#choices.set(sessionId, made + 1);
      const choose = this.#chance.happens(0.5) ? () => this.#chooseShipping(page) : () => this.#enterCode(page);
      return this.#plan(this.#chance.between(0, 20) * secondMs, "the customer chooses", choose);
    }
    // The total may change while the customer types.
    this.#plan(this.#chance.pick([0, 0, 20, 60]) * secondMs, "the customer presses Pay", () => this.#pay(page));
  }

  /** Chooses the other option, and looks at the total again. */
  async #chooseShipping(page: Page): Promise<void> {
    const shipping_option = shippingOptionIds.find((id) => id !== page.shippingOption);
    await this.#requestAsPage(page, "shipping_option", { shipping_option, version: page.version });
    await this.#openAgain(page);
  }

  /** Enters a code, again if the response was lost, and waits for the merchant's reply. */
  async #enterCode(page: Page, code = this.#chance.pick(codes)): Promise<void> {
    const response = await this.#requestAsPage(page, "promotion_code", { promotion_code: code, version: page.version });
    // If the response is lost, the merchant may have received an event.
    if (response === null || response.status === 200) this.#merchant.planReplies(page.sessionId);
    const entry = textAt(response?.body, "entry");
    if (entry !== undefined) return this.#awaitReply(page, entry);
    if (response === null && this.#chance.happens(0.5))
      return this.#plan(secondMs, "the same code again", () => this.#enterCode(page, code));
    await this.#openAgain(page);
  }

  #awaitReply(page: Page, entry: string, checks = 0): void {
    this.#plan(3 * secondMs, "the page looks for a reply", async () => {
      const { body } = (await this.#requestAsPage(page, "update_request")) ?? {};
      const isMine = textAt(body, "entry") === entry;
      if (checks < 3 && !(isMine && textAt(body, "status") !== "pending"))
        return this.#awaitReply(page, entry, checks + 1);
      await this.#openAgain(page);
    });
  }

  async #requestAsPage({ sessionId, token }: Page, verb: string, body?: object): Promise<ApiResponse | null> {
    return await this.#send(body ? "POST" : "GET", `/frame/sessions/${sessionId}/${verb}`, body, token);
  }

  async #openAgain({ order, sessionId, tries }: Page): Promise<void> {
    await this.#open(order, sessionId, tries);
  }

  async #pay(page: Page): Promise<void> {
    if (page.tries >= 3) return;
    page.tries++;
    page.order.pressed.set(page.version, page.amount);
    if (page.amount === 0) return await this.#complete(page);
    const card = await this.#encrypt(page, this.#chance.pick(cards));
    const requestId = this.#uuid();
    const response = await this.#send(
      "POST",
      "/frame/payments",
      {
        card,
        browser,
        challenge_window_size: "03",
        request_id: requestId,
        payment_round: page.round,
        version: page.version,
      },
      page.token,
    );
    const { order, sessionId, tries } = page;
    if (response === null || response.status >= 500) {
      this.#plan(this.#chance.between(1, 60) * secondMs, "opens the page again", () =>
        this.#open(order, sessionId, tries, requestId),
      );
      return;
    }
    const code = textAt(response.body, "error", "code") ?? "";
    if (["session_changed", "frame_token_invalid"].includes(code)) return await this.#open(order, sessionId, tries - 1);
    page.encryption = objectAt(response.body, "encryption") ?? page.encryption;
    const payment = objectAt(response.body, "payment");
    if (payment !== undefined) await this.#follow(page, payment);
  }

  /** Completes an order that costs nothing. Repeating the request is safe. */
  async #complete(page: Page): Promise<void> {
    const shown = { payment_round: page.round, version: page.version };
    const response = await this.#requestAsPage(page, "complete", shown);
    if (response === null || response.status >= 500) {
      this.#plan(this.#chance.between(1, 60) * secondMs, "opens the page again", () => this.#openAgain(page));
      return;
    }
    const code = textAt(response.body, "error", "code") ?? "";
    if (["session_changed", "frame_token_invalid", "card_message_stale"].includes(code)) await this.#openAgain(page);
  }

  /** Waits for the outcome, and tries another card after a decline. */
  async #follow(page: Page, payment: Json, checks = 0): Promise<void> {
    const id = textAt(payment, "id") ?? "";
    const { order } = page;
    order.decisions.add(id);
    switch (textAt(payment, "status")) {
      case "succeeded":
        return await this.#notifyMerchant(order, id);
      case "declined":
        if (payment["retryable"] !== true || !this.#chance.happens(0.6)) return;
        return this.#plan(this.#chance.between(2, 90) * secondMs, "the customer tries again", () => this.#pay(page));
      case "three_ds": {
        const response = await this.#send("POST", `/frame/payments/${id}/authenticate`, {}, page.token);
        const next = objectAt(response?.body, "payment");
        return next === undefined ? this.#checkLater(page, id, checks) : await this.#follow(page, next, checks + 1);
      }
      case "challenge": {
        if (this.#chance.happens(0.7))
          return await this.#passChallenge(page, id, textAt(payment, "creq") ?? "", checks);
        await this.#send("POST", `/frame/payments/${id}/cancel`, {}, page.token);
        return;
      }
      case undefined:
      default:
        return this.#checkLater(page, id, checks);
    }
  }

  /** The issuer's page sends the browser back, to a page that isn't served here. The result comes from the acquirer. */
  async #passChallenge(page: Page, id: string, creq: string, checks: number): Promise<void> {
    const { threeDSServerTransID, acsTransID } = JSON.parse(Buffer.from(creq, "base64url").toString()) as CReq; // ours
    const { acquirer, act, journal, service, shop } = this.#world;
    acquirer.passChallenge(threeDSServerTransID);
    journal.note("customer: passes the challenge");
    await act("the browser returns", async () => {
      const back = { threeDSServerTransID, acsTransID, hint: "Y" };
      const ended = await recordBrowserReturn(service.context, shop.tenant, back);
      if (ended !== null) await requestResult(service.context, ended);
    });
    this.#checkLater(page, id, checks);
  }

  #checkLater(page: Page, id: string, checks: number): void {
    if (checks > 6 || this.#chance.happens(0.1)) {
      // The merchant finds out later.
      this.#plan(10 * 60 * secondMs, "the merchant looks for the payment", () => this.#notifyMerchant(page.order, id));
      return;
    }
    this.#plan(this.#chance.between(2, 40) * secondMs, "the page looks again", async () => {
      const response = await this.#send("GET", `/frame/payments/${id}`, undefined, page.token);
      const payment = objectAt(response?.body, "payment");
      if (payment === undefined) this.#checkLater(page, id, checks + 1);
      else await this.#follow(page, payment, checks + 1);
    });
  }

  /** The merchant finds the charge, and continues with it. */
  async #notifyMerchant(order: Order, decisionId: string): Promise<void> {
    const found = await this.#world.request("merchant", "api", "GET", `/api/v1/charges?decision_id=${decisionId}`);
    const [charge] = dataOf(found?.body);
    if (charge !== undefined && ["authorized", "succeeded"].includes(textAt(charge, "status") ?? ""))
      this.#merchant.planLater(order, charge);
  }

  async #send(method: "GET" | "POST", path: string, body?: object, token?: string): Promise<ApiResponse | null> {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return await this.#world.request("customer", "frame", method, path, body, headers);
  }

  async #encrypt({ encryption, sessionId }: Page, number: string): Promise<string> {
    const { key, nonce } = encryption as unknown as { key: JWK; nonce: string }; // according to the contract
    const message = { number, exp_month: 12, exp_year: 2040, cvc: "9173", session_id: sessionId, nonce };
    return await new CompactEncrypt(Buffer.from(JSON.stringify(message)))
      .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM", kid: key.kid ?? "" })
      .encrypt(await importJWK(key, "ECDH-ES+A256KW"));
  }

  #uuid(): string {
    const digits = Array.from({ length: 32 }, () => this.#chance.between(0, 15).toString(16)).join("");
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  #plan(delayMs: number, what: string, run: () => Promise<void>): void {
    this.#world.schedule.plan(delayMs, what, run);
  }
}
