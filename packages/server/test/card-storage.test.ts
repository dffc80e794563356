/**
 * Tests the vault behind the service: what it decrypts and what it refuses, how long it keeps a card, and that card
 * data never leaks.
 */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { readerPauseSeconds } from "../src/payments/attempts/deadlines.ts";
import { sweep } from "../src/worker.ts";
import { completeChallenge } from "./setup/at-the-bank.ts";
import { addFaults, clearFaults, readLedger } from "./setup/bank-ledger.ts";
import { cardNumbers, openCheckout, payUpToChallenge, securityCode, type Checkout } from "./setup/customer.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { expectError, invalid, type Refusal } from "./setup/expect-error.ts";
import { findCardData, formsOf } from "./setup/find-card-data.ts";
import { newMerchant, order, type Merchant } from "./setup/merchant.ts";
import { startTestService, type ApiResponse } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { storedCards } from "./setup/vault-counts.ts";
import { startWebhookReceiver } from "./setup/webhook-receiver.ts";

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService());
afterEach(() => clearFaults(service));

const paymentOf = (response: ApiResponse) => response.body["payment"];
const unprocessable: Refusal = {
  status: 402,
  type: "card_error",
  code: "card_declined",
  decline_code: "processing_error",
};

describe("a stored card that was tampered with in the database", () => {
  const whole = ["key_id", "wrapped_key", "sealed"];
  /** Copies columns from one record to another. */
  const exchange = (table: string, columns: string[]) => async (id: string, other: string) => {
    for (const column of columns) {
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = (select ${sql.ref(column)} from ${sql.table(table)} where payment_method_id = ${other})
                 where payment_method_id = ${id}`.execute(service.context.db);
    }
  };
  const flip = (table: string, column: string) => async (id: string) => {
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = set_byte(${sql.ref(column)}, 5, get_byte(${sql.ref(column)}, 5) # 1)
               where payment_method_id = ${id}`.execute(service.context.db);
  };
  const write = (table: string, column: string, value: () => string) => async (id: string) => {
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value()} where payment_method_id = ${id}`.execute(
      service.context.db,
    );
  };
  let stranger: Merchant;

  it.each<[string, (id: string, other: string) => Promise<void>, "card" | "cvc", string]>([
    ["swapped with another card", exchange("vault.card", whole), "card", "does_not_open"],
    ["with another card's ciphertext", exchange("vault.card", ["sealed"]), "card", "does_not_open"],
    ["with another card's wrapped key", exchange("vault.card", ["wrapped_key"]), "card", "does_not_open"],
    ["with a flipped bit in its ciphertext", flip("vault.card", "sealed"), "card", "does_not_open"],
    ["with a flipped bit in its wrapped key", flip("vault.card", "wrapped_key"), "card", "does_not_open"],
    [
      "moved to another account",
      write("vault.card", "account_no", () => String(stranger.tenant.accountNo)),
      "card",
      "other_account",
    ],
    ["moved to the other mode", write("vault.card", "mode", () => "live"), "card", "other_mode"],
    ["with another card's CVC", exchange("vault.cvc", whole), "cvc", "does_not_open"],
    ["with a flipped bit in its CVC", flip("vault.cvc", "sealed"), "cvc", "does_not_open"],
  ])(
    "is refused and audited, and neither the acquirer nor the caller gets any data: %s",
    async (name, tamper, purpose, reason) => {
      const merchant = await newMerchant(service);
      stranger = await newMerchant(service);
      const [one, two] = [
        await merchant.checkout({ confirmation: "server" }),
        await merchant.checkout({ confirmation: "server" }),
      ];
      const payment = paymentOf(await one.pay(cardNumbers.approved));
      const other = paymentOf(await two.pay(cardNumbers.declined));
      const id = String(payment?.["payment_method_id"]);
      await tamper(id, String(other?.["payment_method_id"]));
      const before = { ledger: await readLedger(service), logged: service.log.length };

      const request = { ...order, payment_method_id: id, decision_id: payment?.["id"] };
      const charge = await merchant.call("POST", "/api/v1/charges", request);
      expectError(charge, unprocessable);
      expect(charge.text).not.toMatch(/seal|vault|pm_|stack/i);
      expect(await readLedger(service)).toEqual(before.ledger);
      // The payment has failed, and the customer may try another card.
      expect(await merchant.list("charges")).toMatchObject([{ status: "failed", amount_captured: 0 }]);
      expect(await one.session()).toMatchObject({ status: "open", payment_status: "unpaid", attempts_left: 4 });
      expect(await storedCards(service, one)).toEqual({ cards: 0, codes: 0 });

      const isMoved = name === "moved to another account";
      const audited = await service.context.db
        .selectFrom("audit_log")
        .selectAll()
        .where("object_id", "=", id)
        .execute();
      expect(audited).toMatchObject([
        {
          action: "vault.seal_broken",
          actor: "service",
          outcome: "refused",
          // The account that the record names as its owner.
          account_id: isMoved ? stranger.accountId : merchant.accountId,
          details: { purpose, reason },
        },
      ]);
      const written = JSON.stringify(audited) + service.log.slice(before.logged).join("");
      expect(findCardData(written, { number: cardNumbers.approved, code: securityCode })).toEqual([]);
      expect(findCardData(written, { number: cardNumbers.declined, code: securityCode })).toEqual([]);
    },
  );

  it.each(["card", "cvc"] as const)(
    "isn't declined if this process lacks the key for its %s, and is charged by a process that has it",
    async (purpose) => {
      const merchant = await newMerchant(service);
      const checkout = await merchant.checkout({ confirmation: "server" });
      const payment = paymentOf(await checkout.pay(cardNumbers.approved));
      const id = String(payment?.["payment_method_id"]);
      const table = sql.table(`vault.${purpose}`);
      const key = await sql<{ key_id: string }>`select key_id from ${table} where payment_method_id = ${id}`.execute(
        service.context.db,
      );
      await write(`vault.${purpose}`, "key_id", () => `${purpose}_newer`)(id);
      const ledger = await readLedger(service);

      const request = { ...order, payment_method_id: id, decision_id: payment?.["id"] };
      const charge = await merchant.call("POST", "/api/v1/charges", request);
      expectError(charge, { status: 503, type: "api_error", code: "payment_outcome_unknown" });
      expect(await readLedger(service)).toEqual(ledger);
      const audited = service.context.db.selectFrom("audit_log").select("details").where("object_id", "=", id);
      expect(await audited.executeTakeFirst()).toMatchObject({ details: { purpose, reason: "unknown_key" } });

      await write(`vault.${purpose}`, "key_id", () => key.rows[0]?.key_id ?? "")(id);
      await until("the charge", async () => {
        const [found] = await merchant.list("charges");
        return String(found?.["status"]) === "succeeded" ? found : null;
      });
    },
  );

  it("isn't sent to the issuer for 3-D Secure", async () => {
    const checkout = await openCheckout(service);
    const id = String(paymentOf(await checkout.pay(cardNumbers.frictionless))?.["id"]);
    const ledger = await service.bankAuthorizations();
    await write("vault.card", "account_no", () => String(stranger.tenant.accountNo))(await paymentMethodOf(checkout));
    const response = await checkout.authenticate(id);
    expect(response.body).toMatchObject({
      payment: { status: "declined", reason: "try_again" },
      session: { status: "open" },
    });
    expect(await service.bankAuthorizations()).toEqual(ledger);
  });

  it("is charged normally when nobody tampered with it (control)", async () => {
    const merchant = await newMerchant(service);
    const checkout = await merchant.checkout({ confirmation: "server" });
    const { id, payment_method_id } = paymentOf(await checkout.pay(cardNumbers.approved)) ?? {};
    const charge = await merchant.call("POST", "/api/v1/charges", { ...order, payment_method_id, decision_id: id });
    expect(charge.body).toMatchObject({ status: "succeeded" });
    expect(
      await service.context.db
        .selectFrom("audit_log")
        .selectAll()
        .where("object_id", "=", String(payment_method_id))
        .execute(),
    ).toEqual([]);
  });

  async function paymentMethodOf(checkout: Checkout): Promise<string> {
    const { id } = await service.context.db
      .selectFrom("payment_method")
      .select("id")
      .where("session_id", "=", checkout.sessionId)
      .executeTakeFirstOrThrow();
    return id;
  }
});

describe("card data after every kind of payment", () => {
  /** A realistic number: valid, and not one of the test cards. */
  const realNumber = "4012888888881881";
  const retrying = (what: string, send: () => Promise<ApiResponse>) =>
    until(what, async () => {
      const response = await send();
      if (response.status !== 503) return response;
      service.moveClock(readerPauseSeconds * 1000); // the acquirer isn't called again before
      return null;
    });

  /** Runs payments that are saved, captured, refunded, declined, challenged, lost, delayed and tampered with. */
  async function runEveryPayment(merchant: Merchant): Promise<void> {
    await merchant.call("POST", "/api/v1/webhook_endpoints", { url: `${receiver.url}/hooks` });
    const saved = await merchant.checkout({ mode: "setup" });
    await saved.pay(cardNumbers.approved);
    const savedId = String((await saved.session())["payment_method_id"]);
    const paid = await merchant.checkout({ save_payment_method: true, capture_method: "manual" });
    await paid.pay(cardNumbers.approved);
    await merchant.capture(String((await merchant.chargeOf(paid))["id"]), 1000, "story-capture");
    const refundDeclined = await merchant.checkout();
    await refundDeclined.pay(cardNumbers.refundDeclined);
    await merchant.refund(String((await merchant.chargeOf(refundDeclined))["id"]), 1, "story-refund-declined");
    for (const fault of ["down", "error_after", "garbage", "answer_twice"] as const) {
      await addFaults(
        service,
        { match: { kind: "authorization" }, fault, times: 1 },
        { match: { kind: "refund" }, fault, times: 1 },
      );
      const { id: decision_id } = await merchant.decide(savedId);
      const request = { ...order, payment_method_id: savedId, decision_id };
      const key = { "idempotency-key": `story-${fault}` };
      const charge = await retrying("the charge", () => merchant.call("POST", "/api/v1/charges", request, key));
      await retrying("the refund", () => merchant.refund(String(charge.body["id"]), 700, `story-refund-${fault}`));
    }
    for (const code of ["111111", "222222"]) {
      const challenged = await merchant.checkout();
      const { payment } = await payUpToChallenge(challenged);
      await completeChallenge(service, payment, { code });
    }
    const declined = await merchant.checkout();
    for (const number of [cardNumbers.declined, cardNumbers.insufficientFunds, cardNumbers.stolen])
      await declined.pay(number);
    expectError(await declined.pay(realNumber), invalid("not_a_test_card", "card"));
    expectError(
      await declined.pay(await declined.encrypt("4242424242424241")),
      invalid("card_message_invalid", "card"),
    );
    await (await merchant.checkout({ confirmation: "server" })).pay(cardNumbers.approved);
    await payUpToChallenge(await merchant.checkout());
    const broken = await merchant.checkout({ confirmation: "server" });
    const { id, payment_method_id } = paymentOf(await broken.pay(cardNumbers.approved)) ?? {};
    await sql`update vault.card set sealed = sealed || 'x'::bytea where payment_method_id = ${String(payment_method_id)}`.execute(
      service.context.db,
    );
    expectError(
      await merchant.call("POST", "/api/v1/charges", { ...order, payment_method_id, decision_id: id }),
      unprocessable,
    );
    for (const path of ["checkout_sessions", "charges", "refunds", "events"]) await merchant.list(`${path}?limit=100`);
    await merchant.read(`payment_methods/${savedId}`);
  }

  it("appears nowhere in the database, logs, responses or webhooks", async () => {
    const merchant = await newMerchant(service);
    await runEveryPayment(merchant);
    await receiver.at("/hooks", (await merchant.events()).length);
    const { rows } = await sql<{ n: number }>`select count(*)::integer as n from vault.cvc`.execute(service.context.db);
    expect(rows[0]?.n).toBeGreaterThanOrEqual(2);

    const places = {
      database: await dumpDatabase(service.context.db),
      log: service.log.join("\n"),
      responses: service.responses.join("\n"),
      webhooks: receiver.received.map(({ body, headers }) => body + JSON.stringify(headers)).join("\n"),
    };
    for (const [place, text] of Object.entries(places)) {
      expect(text.length).toBeGreaterThan(10_000);
      for (const number of [...Object.values(cardNumbers), realNumber]) {
        expect({ place, found: findCardData(text, { number, code: securityCode }) }).toEqual({ place, found: [] });
      }
    }
    // Control: the search finds each form when it is present.
    for (const digits of [cardNumbers.approved, securityCode]) {
      for (const form of Object.values(formsOf(digits))) {
        const text = `${places.database}{"x":"${form}"}`;
        expect(findCardData(text, { number: cardNumbers.approved, code: securityCode })).not.toEqual([]);
      }
    }
  });
});

// The tests below move the clock.
describe("the vault", () => {
  it("erases the card and its CVC once the acquirer has responded, whatever the response", async () => {
    for (const number of [cardNumbers.approved, cardNumbers.declined]) {
      const checkout = await openCheckout(service);
      await checkout.pay(number);
      expect(await storedCards(service, checkout)).toEqual({ cards: 0, codes: 0 });
    }
  });

  it("erases an unused CVC in the first sweep after fifteen minutes, and the card when its decision expires", async () => {
    const checkout = await openCheckout(service, { confirmation: "server" });
    const payment = paymentOf(await checkout.pay(cardNumbers.approved));
    service.moveClock(15 * 60_000 - 5_000);
    await sweep(service.context);
    expect(await storedCards(service, checkout)).toEqual({ cards: 1, codes: 1 });
    service.moveClock(5_000);
    await sweep(service.context);
    expect(await storedCards(service, checkout)).toEqual({ cards: 0, codes: 0 });

    // Nothing was charged: the form is open again, and no attempt was counted.
    expect(paymentOf(await checkout.payment(String(payment?.["id"])))).toMatchObject({
      status: "declined",
      reason: "try_again",
    });
    expect(await checkout.session()).toMatchObject({ status: "open", attempts_left: 5, decision_id: null });
    expect(paymentOf(await checkout.pay(cardNumbers.approved))).toMatchObject({ status: "requires_confirmation" });
  });

  it("keeps a card without its CVC while a later approved decision is valid, and charges it", async () => {
    const merchant = await newMerchant(service);
    const checkout = await merchant.checkout({ confirmation: "server" });
    const { id, payment } = await payUpToChallenge(checkout);
    service.moveClock(8 * 60_000);
    await completeChallenge(service, payment, { code: "111111" });
    const approved = await until("the decision", async () => {
      const response = paymentOf(await checkout.payment(id));
      return String(response?.["status"]) === "requires_confirmation" ? response : null;
    });
    expect(await storedCards(service, checkout)).toEqual({ cards: 1, codes: 1 });
    service.moveClock(8 * 60_000);
    await sweep(service.context);
    expect(await storedCards(service, checkout)).toEqual({ cards: 1, codes: 0 });
    const request = { ...order, payment_method_id: approved?.["payment_method_id"], decision_id: id };
    expect((await merchant.call("POST", "/api/v1/charges", request)).body).toMatchObject({ status: "succeeded" });
  });

  it("lets the customer retry at once when nothing was charged in time, swept or not", async () => {
    const checkout = await openCheckout(service, { confirmation: "server" });
    const first = paymentOf(await checkout.pay(cardNumbers.approved));
    service.moveClock(15 * 60_000);
    expect(paymentOf(await checkout.payment(String(first?.["id"])))).toMatchObject({
      status: "declined",
      reason: "try_again",
    });
    expect(paymentOf(await checkout.pay(cardNumbers.approved))).toMatchObject({ status: "requires_confirmation" });
    expect(await checkout.session()).toMatchObject({ attempts_left: 5 });
  });

  it("refuses messages whose nonce is older than ten minutes and deletes those nonces", async () => {
    const checkout = await openCheckout(service);
    const message = await checkout.encrypt(cardNumbers.approved);
    service.moveClock(10 * 60_000);
    expect((await checkout.pay(message)).body).toMatchObject({
      error: { code: "card_message_stale" },
      encryption: expect.any(Object),
    });
    await sweep(service.context);
    const { rows } = await sql`select nonce from vault.used_nonce`.execute(service.context.db);
    expect(rows).toEqual([]);
  });
});
