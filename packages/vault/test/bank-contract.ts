/**
 * What every acquirer behind `Bank` owes, as a suite. An adapter for another acquirer is ready when this passes against
 * that acquirer's own test system, with its own books read apart from the adapter: what the adapter says and what the
 * books say must be the same.
 *
 * The duties: a reference moves money once, however often and however concurrently it is sent; what the bank will not
 * do is an answer and stands in the books; silence is an error, never a guess, and the same reference clears it up; no
 * more is taken than was reserved, no more is given back than was taken.
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
  /** Why the second one is declined. */
  declineCode: DeclineCode;
  /** What the bank calls a merchant of ours. */
  merchantId: string;
  /**
   * What the bank's own books say of an authorisation and all that followed it; null when they do not have it. Not read
   * through `bank`.
   */
  moneyOf(authorization: string): Promise<Money | null>;
  /** Whose sale an authorisation is, by the bank's own books; null where nobody said. */
  merchantOf(authorization: string): Promise<string | null>;
  /**
   * Makes one request go unanswered: the one of this kind under this reference, before or after the bank has acted on
   * it.
   */
  loseAnswer(kind: BankOperation, reference: string, when: "before" | "after"): Promise<void>;
  close(): Promise<void>;
}

/** In the smallest unit of the currency. */
export interface Money {
  reserved: number;
  taken: number;
  givenBack: number;
}

const approved: BankAnswer = { status: "approved" };
const declined = { status: "declined", declineCode: expect.any(String) as string };
const amount = 4900;
const reserved: Money = { reserved: amount, taken: 0, givenBack: 0 };
const taken: Money = { reserved: 0, taken: amount, givenBack: 0 };
const nothing: Money = { reserved: 0, taken: 0, givenBack: 0 };
const kinds = ["authorize", "capture", "cancel", "refund"] as const;

export function describeBankContract(name: string, start: () => Promise<BankUnderTest>): void {
  describe(`${name}, as a bank`, () => {
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
    /** An authorisation that was approved: its reference. */
    async function authorized(capture: boolean): Promise<string> {
      const made = request({ capture });
      expect(await bank.authorize(made)).toEqual(approved);
      return made.reference;
    }
    /**
     * One way to send a request of this kind that the bank approves, again and again, and what the books say after it.
     */
    async function prepare(kind: BankOperation) {
      if (kind === "authorize") {
        const made = request();
        return {
          reference: made.reference,
          authorization: made.reference,
          after: taken,
          send: () => bank.authorize(made),
        };
      }
      const authorization = await authorized(kind === "refund");
      const made = { reference: newReference(), authorization };
      const after = { capture: taken, cancel: nothing, refund: { ...taken, givenBack: amount } }[kind];
      const send = () => (kind === "cancel" ? bank.cancel(made) : bank[kind]({ ...made, amount }));
      return { reference: made.reference, authorization, after, send };
    }

    /**
     * Two different requests of this kind under one reference, and the authorisation that would show it if the second
     * one moved money.
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

    describe.each(kinds)("to %s", (kind) => {
      it("moves the money once, however often and however concurrently it is sent, and stands in the books", async () => {
        const { reference, authorization, after, send } = await prepare(kind);
        const answers = await Promise.all(Array.from({ length: 20 }, send));
        expect(answers).toEqual(answers.map(() => approved));
        expect(await send()).toEqual(approved);
        expect(await test.moneyOf(authorization)).toEqual(after);
        expect(await bank.lookup(kind, reference)).toEqual(approved);
      });

      it("is known under its own kind only, and what was never sent is not known at all", async () => {
        const { reference, send } = await prepare(kind);
        expect(await bank.lookup(kind, reference)).toBeNull();
        await send();
        for (const other of kinds)
          expect(await bank.lookup(other, reference)).toEqual(other === kind ? approved : null);
      });

      it("unanswered before the bank acted is unknown; nothing has moved, and the same reference moves it", async () => {
        const { reference, authorization, after, send } = await prepare(kind);
        const before = await test.moneyOf(authorization);
        await test.loseAnswer(kind, reference, "before");
        await expectUnknown(send());
        expect(await bank.lookup(kind, reference)).toBeNull();
        expect(await test.moneyOf(authorization)).toEqual(before);
        expect(await send()).toEqual(approved);
        expect(await test.moneyOf(authorization)).toEqual(after);
      });

      it("unanswered after the bank acted is unknown; it has moved, and the same reference says so and moves nothing", async () => {
        const { reference, authorization, after, send } = await prepare(kind);
        await test.loseAnswer(kind, reference, "after");
        await expectUnknown(send());
        expect(await bank.lookup(kind, reference)).toEqual(approved);
        expect(await send()).toEqual(approved);
        expect(await test.moneyOf(authorization)).toEqual(after);
      });

      it("with other particulars under a used reference moves nothing: what stands there is the answer", async () => {
        const { send, sendOther, watched } = await prepareTwo(kind);
        expect(await send()).toEqual(approved);
        const money = await test.moneyOf(watched);
        expect(await sendOther()).toEqual(approved);
        expect(await test.moneyOf(watched)).toEqual(money);
      });
    });

    describe.each(["capture", "cancel", "refund"] as const)("to %s what", (kind) => {
      const send = (authorization: string) => {
        const made = { reference: newReference(), authorization };
        return kind === "cancel" ? bank.cancel(made) : bank[kind]({ ...made, amount });
      };

      it("the bank has never heard of is declined", async () => {
        expect(await send(newReference())).toEqual(declined);
      });

      it("was declined is declined", async () => {
        const made = request({ card: test.declinedCard, capture: kind === "refund" });
        await bank.authorize(made);
        expect(await send(made.reference)).toEqual(declined);
        expect(await test.moneyOf(made.reference)).toEqual(nothing);
      });

      it("is not in the state for it is declined", async () => {
        const authorization = await authorized(kind !== "refund");
        const money = await test.moneyOf(authorization);
        expect(await send(authorization)).toEqual(declined);
        expect(await test.moneyOf(authorization)).toEqual(money);
      });
    });

    it("a card that is declined says why, and the books remember it", async () => {
      const made = request({ card: test.declinedCard });
      const answer = { status: "declined", declineCode: test.declineCode };
      expect(await bank.authorize(made)).toEqual(answer);
      expect(await bank.authorize(made)).toEqual(answer);
      expect(await bank.lookup("authorize", made.reference)).toEqual(answer);
      expect(await test.moneyOf(made.reference)).toEqual(nothing);
    });

    it("a card may be asked whether it is good: an amount of zero moves nothing", async () => {
      const made = request({ amount: 0, capture: false });
      expect(await bank.authorize(made)).toEqual(approved);
      expect(await test.moneyOf(made.reference)).toEqual(nothing);
      expect(await bank.authorize(request({ amount: 0, capture: false, card: test.declinedCard }))).toEqual(declined);
    });

    it("what names its merchant is sold once too, and not again under another's name", async () => {
      const made = request({ merchant_id: test.merchantId });
      expect(await bank.authorize(made)).toEqual(approved);
      expect(await bank.authorize(made)).toEqual(approved);
      expect(await test.moneyOf(made.reference)).toEqual(taken);
      expect(await test.merchantOf(made.reference)).toBe(test.merchantId);
      await bank.authorize({ ...made, merchant_id: `${test.merchantId}x` });
      expect(await test.merchantOf(made.reference)).toBe(test.merchantId);
      expect(await test.moneyOf(made.reference)).toEqual(taken);
    });

    it("what is reserved is not taken, until it is captured", async () => {
      const authorization = await authorized(false);
      expect(await test.moneyOf(authorization)).toEqual(reserved);
      expect(await bank.capture({ reference: newReference(), authorization, amount: amount + 1 })).toEqual(declined);
      expect(await test.moneyOf(authorization)).toEqual(reserved);
    });

    it("part of it may be captured, once: the rest is let go, and nothing can be canceled any more", async () => {
      const authorization = await authorized(false);
      expect(await bank.capture({ reference: newReference(), authorization, amount: 1000 })).toEqual(approved);
      expect(await test.moneyOf(authorization)).toEqual({ reserved: 0, taken: 1000, givenBack: 0 });
      expect(await bank.capture({ reference: newReference(), authorization, amount: 1000 })).toEqual(declined);
      expect(await bank.cancel({ reference: newReference(), authorization })).toEqual(declined);
      expect(await test.moneyOf(authorization)).toEqual({ reserved: 0, taken: 1000, givenBack: 0 });
    });

    it("what was canceled cannot be captured", async () => {
      const authorization = await authorized(false);
      expect(await bank.cancel({ reference: newReference(), authorization })).toEqual(approved);
      expect(await bank.capture({ reference: newReference(), authorization, amount })).toEqual(declined);
      expect(await test.moneyOf(authorization)).toEqual(nothing);
    });

    it("a capture and a cancellation at once: one of them wins", async () => {
      const authorization = await authorized(false);
      const answers = await Promise.all([
        bank.capture({ reference: newReference(), authorization, amount }),
        bank.cancel({ reference: newReference(), authorization }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual(["approved", "declined"]);
      expect(await test.moneyOf(authorization)).toEqual(answers[0].status === "approved" ? taken : nothing);
    });

    it("refunds at once, in parts, never give back more than was taken", async () => {
      const authorization = await authorized(true);
      const refund = () => bank.refund({ reference: newReference(), authorization, amount: 1000 });
      const answers = await Promise.all(Array.from({ length: 10 }, refund));
      expect(answers.filter(({ status }) => status === "approved")).toHaveLength(4);
      expect(await test.moneyOf(authorization)).toEqual({ reserved: 0, taken: amount, givenBack: 4000 });
      expect(await bank.refund({ reference: newReference(), authorization, amount: 900 })).toEqual(approved);
      expect(await bank.refund({ reference: newReference(), authorization, amount: 1 })).toEqual(declined);
    });

    it("of what was captured in part, no more than that part is given back", async () => {
      const authorization = await authorized(false);
      await bank.capture({ reference: newReference(), authorization, amount: 1000 });
      expect(await bank.refund({ reference: newReference(), authorization, amount: 1001 })).toEqual(declined);
      expect(await bank.refund({ reference: newReference(), authorization, amount: 1000 })).toEqual(approved);
    });

    /** No answer, and the error repeats nothing of the card. */
    async function expectUnknown(asked: Promise<unknown>): Promise<void> {
      const error = await asked.then(
        () => new Error("It was answered"),
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(BankUnreachableError);
      expect(String((error as Error).stack)).not.toContain(test.approvedCard.number); // an Error, as the line above says
    }
  });
}
