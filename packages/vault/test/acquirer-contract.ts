/**
 * The contract that every connector must fulfill whose acquirer decides at once and can be asked for a reference. Run
 * it against the acquirer's test system, and read that system's records without the connector: both must agree.
 *
 * - A reference moves money once, however often and concurrently it's sent.
 * - A decline is a result and is recorded.
 * - A missing response is an error, and sending the same reference again resolves it.
 * - Never capture more than was reserved, and never refund more than was captured.
 */
import { randomUUID } from "node:crypto";
import type { DeclineCode } from "@oriel/protocol/declines";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Authorization, LaterOperation, OperationKind } from "../src/connectors/acquirer.ts";
import { NoReplyError } from "../src/connectors/errors.ts";
import type { AcquirerWithLookup } from "../src/connectors/sandbox/acquirer.ts";

export interface AcquirerUnderTest {
  acquirer: AcquirerWithLookup;
  approvedCard: Authorization["card"];
  declinedCard: Authorization["card"];
  /** The decline code of `declinedCard`. */
  declineCode: DeclineCode;
  /** The acquirer's ID of one of our merchants. */
  merchantId: string;
  /**
   * The acquirer's own record of an authorization and its operations, or null if there's none. Don't read it through
   * `acquirer`.
   */
  moneyOf(authorization: { reference: string }): Promise<Money | null>;
  /** The merchant of an authorization in the acquirer's own records, or null if none was given. */
  merchantOf(authorization: { reference: string }): Promise<string | null>;
  /** Loses the response to one request of this kind and reference, before or after the acquirer has processed it. */
  loseResponse(kind: OperationKind, reference: string, when: "before" | "after"): Promise<void>;
  close(): Promise<void>;
}

/** In the smallest unit of the currency. */
export interface Money {
  reserved: number;
  captured: number;
  refunded: number;
}

const approved: unknown = expect.objectContaining({ status: "approved" });
const declined: unknown = expect.objectContaining({ status: "declined", declineCode: expect.any(String) });
const amount = 4900;
const currency = "eur";
const reserved: Money = { reserved: amount, captured: 0, refunded: 0 };
const captured: Money = { reserved: 0, captured: amount, refunded: 0 };
const nothing: Money = { reserved: 0, captured: 0, refunded: 0 };
const kinds = ["authorize", "capture", "cancel", "refund"] as const;

export function describeAcquirerContract(name: string, start: () => Promise<AcquirerUnderTest>): void {
  describe(`${name} as an acquirer`, () => {
    let test: AcquirerUnderTest;
    let acquirer: AcquirerWithLookup;
    let lookup: AcquirerWithLookup["unknownOutcome"]["lookup"];
    beforeAll(async () => {
      test = await start();
      acquirer = test.acquirer;
      lookup = acquirer.unknownOutcome.lookup;
    });
    afterAll(() => test.close());

    const newReference = () => `att_${randomUUID()}`;
    const request = (changes: Partial<Authorization> = {}): Authorization => ({
      reference: newReference(),
      amount,
      currency,
      capture: true,
      card: test.approvedCard,
      usage: { kind: "once" },
      ...changes,
    });
    const later = (authorization: LaterOperation["authorization"], amount: number) => ({
      reference: newReference(),
      authorization,
      amount,
      currency,
    });
    /** Makes an approved authorization. */
    async function authorized(capture: boolean): Promise<LaterOperation["authorization"]> {
      const made = request({ capture });
      const reply = await acquirer.authorize(made);
      expect(reply).toEqual(approved);
      return { reference: made.reference, acquirerId: reply.details.acquirerId };
    }
    /** Prepares a request of this kind that is approved and can be sent repeatedly, and its expected record. */
    async function prepare(kind: OperationKind) {
      if (kind === "authorize") {
        const made = request();
        return {
          reference: made.reference,
          authorization: { reference: made.reference },
          after: captured,
          send: () => acquirer.authorize(made),
        };
      }
      const authorization = await authorized(kind === "refund");
      const made = { reference: newReference(), authorization };
      const after = { capture: captured, cancel: nothing, refund: { ...captured, refunded: amount } }[kind];
      const send = () => (kind === "cancel" ? acquirer.cancel(made) : acquirer[kind]({ ...made, amount, currency }));
      return { reference: made.reference, authorization, after, send };
    }

    /**
     * Prepares two different requests of this kind with the same reference, and the authorization whose record would
     * show if the second one moved money.
     */
    async function prepareTwo(kind: OperationKind) {
      if (kind === "authorize") {
        const made = request();
        const send = () => acquirer.authorize(made);
        return { send, sendOther: () => acquirer.authorize({ ...made, amount: amount + 1 }), watched: { reference: made.reference } };
      }
      const [authorization, other] = [await authorized(kind === "refund"), await authorized(kind === "refund")];
      const made = { reference: newReference(), authorization };
      if (kind === "cancel") {
        return {
          send: () => acquirer.cancel(made),
          sendOther: () => acquirer.cancel({ ...made, authorization: other }),
          watched: other,
        };
      }
      const send = () => acquirer[kind]({ ...made, amount: 1000, currency });
      return { send, sendOther: () => acquirer[kind]({ ...made, amount: 1001, currency }), watched: authorization };
    }

    describe.each(kinds)("%s", (kind) => {
      it("moves money once for repeated and concurrent requests, and is recorded", async () => {
        const { reference, authorization, after, send } = await prepare(kind);
        const answers = await Promise.all(Array.from({ length: 20 }, send));
        expect(answers).toEqual(answers.map(() => approved));
        expect(await send()).toEqual(approved);
        expect(await test.moneyOf(authorization)).toEqual(after);
        expect(await lookup(kind, reference)).toEqual(approved);
      });

      it("is found by lookup under its own kind only, and unknown references aren't found", async () => {
        const { reference, send } = await prepare(kind);
        expect(await lookup(kind, reference)).toBeNull();
        await send();
        for (const other of kinds)
          expect(await lookup(other, reference)).toEqual(other === kind ? approved : null);
      });

      it("has an unknown outcome if the response is lost before processing, and a retry moves the money", async () => {
        const { reference, authorization, after, send } = await prepare(kind);
        const before = await test.moneyOf(authorization);
        await test.loseResponse(kind, reference, "before");
        await expectUnknown(send());
        expect(await lookup(kind, reference)).toBeNull();
        expect(await test.moneyOf(authorization)).toEqual(before);
        expect(await send()).toEqual(approved);
        expect(await test.moneyOf(authorization)).toEqual(after);
      });

      it("has an unknown outcome if the response is lost after processing, and a retry returns the result without moving money", async () => {
        const { reference, authorization, after, send } = await prepare(kind);
        await test.loseResponse(kind, reference, "after");
        await expectUnknown(send());
        expect(await lookup(kind, reference)).toEqual(approved);
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
      const send = (authorization: LaterOperation["authorization"]) => {
        const made = { reference: newReference(), authorization };
        return kind === "cancel" ? acquirer.cancel(made) : acquirer[kind]({ ...made, amount, currency });
      };

      it("is declined for an unknown authorization", async () => {
        expect(await send({ reference: newReference(), acquirerId: null })).toEqual(declined);
      });

      it("is declined for a declined authorization", async () => {
        const made = request({ card: test.declinedCard, capture: kind === "refund" });
        await acquirer.authorize(made);
        expect(await send({ reference: made.reference, acquirerId: null })).toEqual(declined);
        expect(await test.moneyOf(made)).toEqual(nothing);
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
      const answer: unknown = expect.objectContaining({ status: "declined", declineCode: test.declineCode });
      expect(await acquirer.authorize(made)).toEqual(answer);
      expect(await acquirer.authorize(made)).toEqual(answer);
      expect(await lookup("authorize", made.reference)).toEqual(answer);
      expect(await test.moneyOf(made)).toEqual(nothing);
    });

    it("verifies a card with an amount of zero without moving money", async () => {
      const made = request({ amount: 0, capture: false });
      expect(await acquirer.authorize(made)).toEqual(approved);
      expect(await test.moneyOf(made)).toEqual(nothing);
      expect(await acquirer.authorize(request({ amount: 0, capture: false, card: test.declinedCard }))).toEqual(declined);
    });

    it("records the merchant, and doesn't charge again for another merchant", async () => {
      const made = request({ merchantId: test.merchantId });
      expect(await acquirer.authorize(made)).toEqual(approved);
      expect(await acquirer.authorize(made)).toEqual(approved);
      expect(await test.moneyOf(made)).toEqual(captured);
      expect(await test.merchantOf(made)).toBe(test.merchantId);
      await acquirer.authorize({ ...made, merchantId: `${test.merchantId}x` });
      expect(await test.merchantOf(made)).toBe(test.merchantId);
      expect(await test.moneyOf(made)).toEqual(captured);
    });

    it("reserves money until it's captured", async () => {
      const authorization = await authorized(false);
      expect(await test.moneyOf(authorization)).toEqual(reserved);
      expect(await acquirer.capture(later(authorization, amount + 1))).toEqual(declined);
      expect(await test.moneyOf(authorization)).toEqual(reserved);
    });

    it("captures a part once, releases the rest, and then refuses a cancellation", async () => {
      const authorization = await authorized(false);
      expect(await acquirer.capture(later(authorization, 1000))).toEqual(approved);
      expect(await test.moneyOf(authorization)).toEqual({ reserved: 0, captured: 1000, refunded: 0 });
      expect(await acquirer.capture(later(authorization, 1000))).toEqual(declined);
      expect(await acquirer.cancel({ reference: newReference(), authorization })).toEqual(declined);
      expect(await test.moneyOf(authorization)).toEqual({ reserved: 0, captured: 1000, refunded: 0 });
    });

    it("refuses to capture a canceled authorization", async () => {
      const authorization = await authorized(false);
      expect(await acquirer.cancel({ reference: newReference(), authorization })).toEqual(approved);
      expect(await acquirer.capture(later(authorization, amount))).toEqual(declined);
      expect(await test.moneyOf(authorization)).toEqual(nothing);
    });

    it("lets one of a concurrent capture and cancellation win", async () => {
      const authorization = await authorized(false);
      const answers = await Promise.all([
        acquirer.capture(later(authorization, amount)),
        acquirer.cancel({ reference: newReference(), authorization }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual(["approved", "declined"]);
      expect(await test.moneyOf(authorization)).toEqual(answers[0].status === "approved" ? captured : nothing);
    });

    it("never refunds more than was captured with concurrent partial refunds", async () => {
      const authorization = await authorized(true);
      const refund = () => acquirer.refund(later(authorization, 1000));
      const answers = await Promise.all(Array.from({ length: 10 }, refund));
      expect(answers.filter(({ status }) => status === "approved")).toHaveLength(4);
      expect(await test.moneyOf(authorization)).toEqual({ reserved: 0, captured: amount, refunded: 4000 });
      expect(await acquirer.refund(later(authorization, 900))).toEqual(approved);
      expect(await acquirer.refund(later(authorization, 1))).toEqual(declined);
    });

    it("refunds no more than a partial capture", async () => {
      const authorization = await authorized(false);
      await acquirer.capture(later(authorization, 1000));
      expect(await acquirer.refund(later(authorization, 1001))).toEqual(declined);
      expect(await acquirer.refund(later(authorization, 1000))).toEqual(approved);
    });

    /** Expects an unknown outcome and an error that doesn't contain the card number. */
    async function expectUnknown(asked: Promise<unknown>): Promise<void> {
      const error = await asked.then(
        () => new Error("Expected an error"),
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(NoReplyError);
      expect(String((error as Error).stack)).not.toContain(test.approvedCard.number); // an Error, as checked above
    }
  });
}
