/**
 * The contract that every acquirer behind `Bank` must fulfill. Run it for a new adapter against the acquirer's test
 * system, and read that system's records without the adapter: both must agree.
 *
 * - A reference moves money once, however often and concurrently it's sent.
 * - A decline is a result and is recorded.
 * - A missing response is an error, and sending the same reference again resolves it.
 * - Never capture more than was reserved, and never refund more than was captured.
 */
import { randomUUID } from "node:crypto";
import type { AuthorizationRequest } from "@oriel/protocol/acquirer";
import type { DeclineCode } from "@oriel/protocol/declines";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BankUnreachableError, type Bank, type BankAnswer, type BankOperation } from "../src/bank.ts";

export interface BankUnderTest {
  bank: Bank;
  approvedCard: AuthorizationRequest["card"];
  declinedCard: AuthorizationRequest["card"];
  /** The decline code of `declinedCard`. */
  declineCode: DeclineCode;
  /** The acquirer's ID of one of our merchants. */
  merchantId: string;
  /**
   * The acquirer's own record of an authorization and its operations, or null if there's none. Don't read it through
   * `bank`.
   */
  moneyOf(authorization: string): Promise<Money | null>;
  /** The merchant of an authorization in the acquirer's own records, or null if none was given. */
  merchantOf(authorization: string): Promise<string | null>;
  /** Loses the response to one request of this kind and reference, before or after the acquirer has processed it. */
  loseResponse(kind: BankOperation, reference: string, when: "before" | "after"): Promise<void>;
  close(): Promise<void>;
}

/** In the smallest unit of the currency. */
export interface Money {
  reserved: number;
  captured: number;
  refunded: number;
}

const approved: BankAnswer = { status: "approved" };
const declined = { status: "declined", declineCode: expect.any(String) as string };
const amount = 4900;
const reserved: Money = { reserved: amount, captured: 0, refunded: 0 };
const captured: Money = { reserved: 0, captured: amount, refunded: 0 };
const nothing: Money = { reserved: 0, captured: 0, refunded: 0 };
const kinds = ["authorize", "capture", "cancel", "refund"] as const;

export function describeBankContract(name: string, start: () => Promise<BankUnderTest>): void {
  describe(`${name} as an acquirer`, () => {
    let test: BankUnderTest;
    let bank: Bank;
    beforeAll(async () => {
      test = await start();
      bank = test.bank;
    });
    afterAll(() => test.close());

    const newReference = () => `att_${randomUUID()}`;
    const request = (changes: Partial<AuthorizationRequest> = {}): AuthorizationRequest => ({
      reference: newReference(),
      amount,
      currency: "eur",
      capture: true,
      card: test.approvedCard,
      ...changes,
    });
    /** Makes an approved authorization and returns its reference. */
    async function authorized(capture: boolean): Promise<string> {
      const made = request({ capture });
      expect(await bank.authorize(made)).toEqual(approved);
      return made.reference;
    }
    /** Prepares a request of this kind that is approved and can be sent repeatedly, and its expected record. */
    async function prepare(kind: BankOperation) {
      if (kind === "authorize") {
        const made = request();
        return {
          reference: made.reference,
          authorization: made.reference,
          after: captured,
          send: () => bank.authorize(made),
        };
      }
      const authorization = await authorized(kind === "refund");
      const made = { reference: newReference(), authorization };
      const after = { capture: captured, cancel: nothing, refund: { ...captured, refunded: amount } }[kind];
      const send = () => (kind === "cancel" ? bank.cancel(made) : bank[kind]({ ...made, amount }));
      return { reference: made.reference, authorization, after, send };
    }

    /**
     * Prepares two different requests of this kind with the same reference, and the authorization whose record would
     * show if the second one moved money.
     */
    async function prepareTwo(kind: BankOperation) {
      if (kind === "authorize") {
        const made = request();
        const send = () => bank.authorize(made);
        return { send, sendOther: () => bank.authorize({ ...made, amount: amount + 1 }), watched: made.reference };
      }
      const [authorization, other] = [await authorized(kind === "refund"), await authorized(kind === "refund")];
      const made = { reference: newReference(), authorization };
      if (kind === "cancel") {
        return {
          send: () => bank.cancel(made),
          sendOther: () => bank.cancel({ ...made, authorization: other }),
          watched: other,
        };
      }
      const send = () => bank[kind]({ ...made, amount: 1000 });
      return { send, sendOther: () => bank[kind]({ ...made, amount: 1001 }), watched: authorization };
    }

    describe.each(kinds)("%s", (kind) => {
      it("moves money once for repeated and concurrent requests, and is recorded", async () => {
        const { reference, authorization, after, send } = await prepare(kind);
        const answers = await Promise.all(Array.from({ length: 20 }, send));
        expect(answers).toEqual(answers.map(() => approved));
        expect(await send()).toEqual(approved);
        expect(await test.moneyOf(authorization)).toEqual(after);
        expect(await bank.lookup(kind, reference)).toEqual(approved);
      });

      it("is found by lookup under its own kind only, and unknown references aren't found", async () => {
        const { reference, send } = await prepare(kind);
        expect(await bank.lookup(kind, reference)).toBeNull();
        await send();
        for (const other of kinds)
          expect(await bank.lookup(other, reference)).toEqual(other === kind ? approved : null);
      });

      it("has an unknown outcome if the response is lost before processing, and a retry moves the money", async () => {
        const { reference, authorization, after, send } = await prepare(kind);
        const before = await test.moneyOf(authorization);
        await test.loseResponse(kind, reference, "before");
        await expectUnknown(send());
        expect(await bank.lookup(kind, reference)).toBeNull();
        expect(await test.moneyOf(authorization)).toEqual(before);
        expect(await send()).toEqual(approved);
        expect(await test.moneyOf(authorization)).toEqual(after);
      });

      it("has an unknown outcome if the response is lost after processing, and a retry returns the result without moving money", async () => {
        const { reference, authorization, after, send } = await prepare(kind);
        await test.loseResponse(kind, reference, "after");
        await expectUnknown(send());
        expect(await bank.lookup(kind, reference)).toEqual(approved);
        expect(await send()).toEqual(approved);
        expect(await test.moneyOf(authorization)).toEqual(after);
      });

      it("with different parameters and a used reference moves no money and returns the recorded result", async () => {
        const { send, sendOther, watched } = await prepareTwo(kind);
        expect(await send()).toEqual(approved);
        const money = await test.moneyOf(watched);
        expect(await sendOther()).toEqual(approved);
        expect(await test.moneyOf(watched)).toEqual(money);
      });
    });

    describe.each(["capture", "cancel", "refund"] as const)("%s", (kind) => {
      const send = (authorization: string) => {
        const made = { reference: newReference(), authorization };
        return kind === "cancel" ? bank.cancel(made) : bank[kind]({ ...made, amount });
      };

      it("is declined for an unknown authorization", async () => {
        expect(await send(newReference())).toEqual(declined);
      });

      it("is declined for a declined authorization", async () => {
        const made = request({ card: test.declinedCard, capture: kind === "refund" });
        await bank.authorize(made);
        expect(await send(made.reference)).toEqual(declined);
        expect(await test.moneyOf(made.reference)).toEqual(nothing);
      });

      it("is declined in the wrong state", async () => {
        const authorization = await authorized(kind !== "refund");
        const money = await test.moneyOf(authorization);
        expect(await send(authorization)).toEqual(declined);
        expect(await test.moneyOf(authorization)).toEqual(money);
      });
    });

    it("returns and records a card's decline code", async () => {
      const made = request({ card: test.declinedCard });
      const answer = { status: "declined", declineCode: test.declineCode };
      expect(await bank.authorize(made)).toEqual(answer);
      expect(await bank.authorize(made)).toEqual(answer);
      expect(await bank.lookup("authorize", made.reference)).toEqual(answer);
      expect(await test.moneyOf(made.reference)).toEqual(nothing);
    });

    it("verifies a card with an amount of zero without moving money", async () => {
      const made = request({ amount: 0, capture: false });
      expect(await bank.authorize(made)).toEqual(approved);
      expect(await test.moneyOf(made.reference)).toEqual(nothing);
      expect(await bank.authorize(request({ amount: 0, capture: false, card: test.declinedCard }))).toEqual(declined);
    });

    it("records the merchant, and doesn't charge again for another merchant", async () => {
      const made = request({ merchant_id: test.merchantId });
      expect(await bank.authorize(made)).toEqual(approved);
      expect(await bank.authorize(made)).toEqual(approved);
      expect(await test.moneyOf(made.reference)).toEqual(captured);
      expect(await test.merchantOf(made.reference)).toBe(test.merchantId);
      await bank.authorize({ ...made, merchant_id: `${test.merchantId}x` });
      expect(await test.merchantOf(made.reference)).toBe(test.merchantId);
      expect(await test.moneyOf(made.reference)).toEqual(captured);
    });

    it("reserves money until it's captured", async () => {
      const authorization = await authorized(false);
      expect(await test.moneyOf(authorization)).toEqual(reserved);
      expect(await bank.capture({ reference: newReference(), authorization, amount: amount + 1 })).toEqual(declined);
      expect(await test.moneyOf(authorization)).toEqual(reserved);
    });

    it("captures a part once, releases the rest, and then refuses a cancellation", async () => {
      const authorization = await authorized(false);
      expect(await bank.capture({ reference: newReference(), authorization, amount: 1000 })).toEqual(approved);
      expect(await test.moneyOf(authorization)).toEqual({ reserved: 0, captured: 1000, refunded: 0 });
      expect(await bank.capture({ reference: newReference(), authorization, amount: 1000 })).toEqual(declined);
      expect(await bank.cancel({ reference: newReference(), authorization })).toEqual(declined);
      expect(await test.moneyOf(authorization)).toEqual({ reserved: 0, captured: 1000, refunded: 0 });
    });

    it("refuses to capture a canceled authorization", async () => {
      const authorization = await authorized(false);
      expect(await bank.cancel({ reference: newReference(), authorization })).toEqual(approved);
      expect(await bank.capture({ reference: newReference(), authorization, amount })).toEqual(declined);
      expect(await test.moneyOf(authorization)).toEqual(nothing);
    });

    it("lets one of a concurrent capture and cancellation win", async () => {
      const authorization = await authorized(false);
      const answers = await Promise.all([
        bank.capture({ reference: newReference(), authorization, amount }),
        bank.cancel({ reference: newReference(), authorization }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual(["approved", "declined"]);
      expect(await test.moneyOf(authorization)).toEqual(answers[0].status === "approved" ? captured : nothing);
    });

    it("never refunds more than was captured with concurrent partial refunds", async () => {
      const authorization = await authorized(true);
      const refund = () => bank.refund({ reference: newReference(), authorization, amount: 1000 });
      const answers = await Promise.all(Array.from({ length: 10 }, refund));
      expect(answers.filter(({ status }) => status === "approved")).toHaveLength(4);
      expect(await test.moneyOf(authorization)).toEqual({ reserved: 0, captured: amount, refunded: 4000 });
      expect(await bank.refund({ reference: newReference(), authorization, amount: 900 })).toEqual(approved);
      expect(await bank.refund({ reference: newReference(), authorization, amount: 1 })).toEqual(declined);
    });

    it("refunds no more than a partial capture", async () => {
      const authorization = await authorized(false);
      await bank.capture({ reference: newReference(), authorization, amount: 1000 });
      expect(await bank.refund({ reference: newReference(), authorization, amount: 1001 })).toEqual(declined);
      expect(await bank.refund({ reference: newReference(), authorization, amount: 1000 })).toEqual(approved);
    });

    /** Expects an unknown outcome and an error that doesn't contain the card number. */
    async function expectUnknown(asked: Promise<unknown>): Promise<void> {
      const error = await asked.then(
        () => new Error("Expected an error"),
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(BankUnreachableError);
      expect(String((error as Error).stack)).not.toContain(test.approvedCard.number); // an Error, as checked above
    }
  });
}
