/**
 * The contract that every connector's acquirer must fulfill. Run it against the vendor's test system, and read that
 * system's records without the connector: both must agree. It depends on how unknown outcomes are resolved and on whether
 * captures, cancellations and refunds are decided at once, but doesn't test other capabilities.
 *
 * - A reference moves money once, however often and concurrently it's sent.
 * - A decline is a result and is recorded.
 * - A missing response is an error. Sending the same reference again resolves it. If the vendor can look up a
 *   reference, a lookup does, too. If not, a reversal leaves no money moved.
 * - A pending operation ends with a notification.
 * - Never capture more than was reserved, and never refund more than was captured.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DeclineCode } from "@oriel/protocol/declines";
import type {
  Acquirer,
  AcquirerReply,
  Authorization,
  LaterOperation,
  OperationKind,
} from "../src/connectors/acquirer.ts";
import { isOutcomeUnknown, NoReplyError } from "../src/connectors/errors.ts";
import { authorization } from "./authorization.ts";

export interface AcquirerUnderTest {
  acquirer: Acquirer;
  approvedCard: Authorization["card"];
  declinedCard: Authorization["card"];
  /** The decline code of `declinedCard`. */
  declineCode: DeclineCode;
  /**
   * The acquirer's own record of an authorization and its operations, or null if there's none. Don't read it through
   * `acquirer`.
   */
  moneyOf(authorization: { reference: string }): Promise<Balances | null>;
  /** Loses the response to one request of this kind and reference, before or after the acquirer has processed it. */
  loseResponse(kind: OperationKind, reference: string, when: "before" | "after"): Promise<void>;
  /** Waits for the notification about a pending operation. */
  notified(reply: AcquirerReply): Promise<Outcome>;
  close(): Promise<void>;
}

/** Of an authorization, in the smallest unit of the currency. */
export interface Balances {
  reserved: number;
  captured: number;
  refunded: number;
}

type Outcome = "approved" | "declined";

const { amount, currency } = authorization;
const reserved: Balances = { reserved: amount, captured: 0, refunded: 0 };
const captured: Balances = { reserved: 0, captured: amount, refunded: 0 };
const nothing: Balances = { reserved: 0, captured: 0, refunded: 0 };
const kinds = ["authorize", "capture", "cancel", "refund"] as const;

/**
 * For every acquirer.
 *
 * @param laterOperations - Whether captures, cancellations and refunds are decided at once or later, which the connector
 *   must declare.
 */
export function describeAcquirerContract(
  name: string,
  laterOperations: "immediate" | "notified",
  start: () => Promise<AcquirerUnderTest>,
): void {
  describe(`${name} as an acquirer`, () => {
    const { tested, request, outcomeOf, authorized, prepare, prepareTwo, expectUnknown } = open(start);
    let test: AcquirerUnderTest;
    let acquirer: Acquirer;
    beforeAll(() => {
      test = tested();
      acquirer = test.acquirer;
    });

    it("declares when captures, cancellations and refunds are decided", () => {
      const { captures, cancels, refunds } = acquirer.capabilities;
      expect(new Set([captures, cancels, refunds])).toEqual(new Set([laterOperations]));
    });

    describe.each(kinds)("%s", (kind) => {
      it("moves money once for repeated and concurrent requests", async () => {
        const { authorization, after, send } = await prepare(kind);
        const sent = await Promise.allSettled(Array.from({ length: 20 }, () => send()));
        // While the first is being processed, the outcome of others may be unknown.
        expect(sent.filter((one) => one.status === "rejected" && !isOutcomeUnknown(one.reason))).toEqual([]);
        const replies = sent.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
        const isPending = kind !== "authorize" && laterOperations === "notified";
        expect(replies[0]?.status).toBe(isPending ? "pending" : "approved");
        expect(replies).toEqual(replies.map(() => replies[0]));
        expect(await outcomeOf(send(true))).toBe("approved");
        expect(await test.moneyOf(authorization)).toEqual(after);
      });

      it("has an unknown outcome if the response is lost before processing, and a retry moves the money", async () => {
        const { reference, authorization, after, send } = await prepare(kind);
        const before = await test.moneyOf(authorization);
        await test.loseResponse(kind, reference, "before");
        await expectUnknown(send());
        expect(await test.moneyOf(authorization)).toEqual(before);
        expect(await outcomeOf(send(true))).toBe("approved");
        expect(await test.moneyOf(authorization)).toEqual(after);
      });

      it("has an unknown outcome if the response is lost after processing, and a retry returns the result without moving money", async () => {
        const { reference, authorization, after, send } = await prepare(kind);
        await test.loseResponse(kind, reference, "after");
        await expectUnknown(send());
        expect(await outcomeOf(send(true))).toBe("approved");
        expect(await test.moneyOf(authorization)).toEqual(after);
      });

      it("with different parameters and a used reference moves no money", async () => {
        const { send, sendOther, watched } = await prepareTwo(kind);
        expect(await outcomeOf(send())).toBe("approved");
        const money = await test.moneyOf(watched);
        await outcomeOf(sendOther()).catch(() => {}); // the outcome may be unknown
        expect(await test.moneyOf(watched)).toEqual(money);
      });
    });

    describe.each(["capture", "cancel", "refund"] as const)("%s", (kind) => {
      const outcome = (authorization: LaterOperation["authorization"]) =>
        outcomeOf(acquirer[kind](later(authorization, amount)));

      it("is declined for an unknown authorization", async () => {
        expect(await outcome({ reference: newReference(), acquirerId: "NOSUCHPAYMENT123" })).toBe("declined");
      });

      it("is declined for a declined authorization", async () => {
        const made = request({ card: test.declinedCard, capture: kind === "refund" });
        const { details } = await acquirer.authorize(made);
        expect(await outcome({ reference: made.reference, acquirerId: details.acquirerId })).toBe("declined");
        expect(await test.moneyOf(made)).toEqual(nothing);
      });

      it("is declined in the wrong state", async () => {
        const authorization = await authorized(kind !== "refund");
        const money = await test.moneyOf(authorization);
        expect(await outcome(authorization)).toBe("declined");
        expect(await test.moneyOf(authorization)).toEqual(money);
      });
    });

    it("returns a card's decline code, again if it's repeated", async () => {
      const made = request({ card: test.declinedCard });
      const first = await acquirer.authorize(made);
      expect(first).toMatchObject({ status: "declined", declineCode: test.declineCode });
      expect(await acquirer.authorize(made)).toEqual(first);
      expect(await test.moneyOf(made)).toEqual(nothing);
    });

    it("verifies a card with an amount of zero without moving money", async () => {
      const made = request({ amount: 0, capture: false });
      expect((await acquirer.authorize(made)).status).toBe("approved");
      expect(await test.moneyOf(made)).toEqual(nothing);
      const refused = request({ amount: 0, capture: false, card: test.declinedCard });
      expect((await acquirer.authorize(refused)).status).toBe("declined");
    });

    it("reserves money until it's captured", async () => {
      const authorization = await authorized(false);
      expect(await test.moneyOf(authorization)).toEqual(reserved);
      expect(await outcomeOf(acquirer.capture(later(authorization, amount + 1)))).toBe("declined");
      expect(await test.moneyOf(authorization)).toEqual(reserved);
    });

    it("captures a part once, releases the rest, and then refuses a cancellation", async () => {
      const authorization = await authorized(false);
      expect(await outcomeOf(acquirer.capture(later(authorization, 1000)))).toBe("approved");
      expect(await test.moneyOf(authorization)).toEqual({ reserved: 0, captured: 1000, refunded: 0 });
      expect(await outcomeOf(acquirer.capture(later(authorization, 1000)))).toBe("declined");
      expect(await outcomeOf(acquirer.cancel(later(authorization, amount)))).toBe("declined");
      expect(await test.moneyOf(authorization)).toEqual({ reserved: 0, captured: 1000, refunded: 0 });
    });

    it("refuses to capture a canceled authorization", async () => {
      const authorization = await authorized(false);
      expect(await outcomeOf(acquirer.cancel(later(authorization, amount)))).toBe("approved");
      expect(await outcomeOf(acquirer.capture(later(authorization, amount)))).toBe("declined");
      expect(await test.moneyOf(authorization)).toEqual(nothing);
    });

    it("lets one of a concurrent capture and cancellation win", async () => {
      const authorization = await authorized(false);
      const outcomes = await Promise.all([
        outcomeOf(acquirer.capture(later(authorization, amount))),
        outcomeOf(acquirer.cancel(later(authorization, amount))),
      ]);
      expect(outcomes.toSorted()).toEqual(["approved", "declined"]);
      expect(await test.moneyOf(authorization)).toEqual(outcomes[0] === "approved" ? captured : nothing);
    });

    it("never refunds more than was captured with concurrent partial refunds", async () => {
      const authorization = await authorized(true);
      const refund = () => outcomeOf(acquirer.refund(later(authorization, 1000)));
      const outcomes = await Promise.all(Array.from({ length: 10 }, refund));
      expect(outcomes.filter((outcome) => outcome === "approved")).toHaveLength(4);
      expect(await test.moneyOf(authorization)).toEqual({ reserved: 0, captured: amount, refunded: 4000 });
      expect(await outcomeOf(acquirer.refund(later(authorization, 900)))).toBe("approved");
      expect(await outcomeOf(acquirer.refund(later(authorization, 1)))).toBe("declined");
    });

    it("returns a captured payment in full, once, even if the response was lost", async () => {
      const authorization = await authorized(true);
      const made = later(authorization, amount);
      await test.loseResponse("refund", made.reference, "after");
      await expectUnknown(acquirer.cancelOrRefund(made));
      expect(await outcomeOf(acquirer.cancelOrRefund({ ...made, isRepeated: true }))).toBe("approved");
      expect(await outcomeOf(acquirer.cancelOrRefund(later(authorization, amount)))).toBe("declined");
      expect(await test.moneyOf(authorization)).toEqual({ ...captured, refunded: amount });
    });

    it("refunds no more than a partial capture", async () => {
      const authorization = await authorized(false);
      expect(await outcomeOf(acquirer.capture(later(authorization, 1000)))).toBe("approved");
      expect(await outcomeOf(acquirer.refund(later(authorization, 1001)))).toBe("declined");
      expect(await outcomeOf(acquirer.refund(later(authorization, 1000)))).toBe("approved");
    });
  });
}

/** For acquirers that find outcomes by reference. */
export function describeLookups(name: string, start: () => Promise<AcquirerUnderTest>): void {
  describe(`lookups at ${name}`, () => {
    const { tested, request, prepare, prepareTwo, expectUnknown } = open(start);
    const lookup = async (kind: OperationKind, reference: string) => {
      const { unknownOutcome } = tested().acquirer;
      if (unknownOutcome.by !== "reference") throw new Error("The connector doesn't declare lookups");
      return await unknownOutcome.lookup(kind, reference);
    };

    describe.each(kinds)("%s", (kind) => {
      it("find it under its own kind only, and no unknown reference", async () => {
        const { reference, send } = await prepare(kind);
        expect(await lookup(kind, reference)).toBeNull();
        const reply = await send();
        for (const other of kinds) expect(await lookup(other, reference)).toEqual(other === kind ? reply : null);
      });

      it("find nothing if the response was lost before processing", async () => {
        const { reference, send } = await prepare(kind);
        await tested().loseResponse(kind, reference, "before");
        await expectUnknown(send());
        expect(await lookup(kind, reference)).toBeNull();
      });

      it("find it if the response was lost after processing", async () => {
        const { reference, send } = await prepare(kind);
        await tested().loseResponse(kind, reference, "after");
        await expectUnknown(send());
        expect(await lookup(kind, reference)).toEqual(await send(true));
      });

      it("find the recorded result after a request with different parameters", async () => {
        const { send, sendOther } = await prepareTwo(kind);
        const reply = await send();
        expect(await sendOther()).toEqual(reply);
      });
    });

    it("find a decline", async () => {
      const made = request({ card: tested().declinedCard });
      const reply = await tested().acquirer.authorize(made);
      expect(reply.status).toBe("declined");
      expect(await lookup("authorize", made.reference)).toEqual(reply);
    });
  });
}

/** For acquirers that don't find outcomes by reference, but release an authorization by its reference. */
export function describeReversals(name: string, start: () => Promise<AcquirerUnderTest>): void {
  describe(`reversals at ${name}`, () => {
    const { tested, request, outcomeOf, expectUnknown } = open(start);
    const reverse = async ({ reference: authorizationReference }: Authorization) => {
      const { unknownOutcome } = tested().acquirer;
      if (unknownOutcome.by !== "replay") throw new Error("The connector doesn't declare reversals");
      return await outcomeOf(
        unknownOutcome.reverse({
          reference: newReference(),
          isRepeated: false,
          authorizationReference,
          amount,
          currency,
        }),
      );
    };
    const lose = async (when: "before" | "after", changes: Partial<Authorization>) => {
      const made = request(changes);
      await tested().loseResponse("authorize", made.reference, when);
      await expectUnknown(tested().acquirer.authorize(made));
      return made;
    };

    it("release an authorization whose response was lost", async () => {
      const made = await lose("after", { capture: false });
      expect(await tested().moneyOf(made)).toEqual(reserved);
      expect(await reverse(made)).toBe("approved");
      expect(await tested().moneyOf(made)).toEqual(nothing);
    });

    it("are declined if the money was captured", async () => {
      const made = await lose("after", { capture: true });
      expect(await reverse(made)).toBe("declined");
      expect(await tested().moneyOf(made)).toEqual(captured);
    });

    it("are declined if the authorization never arrived", async () => {
      const made = await lose("before", { capture: false });
      expect(await reverse(made)).toBe("declined");
      expect(await tested().moneyOf(made)).toBeNull();
    });
  });
}

/** Starts the acquirer for the surrounding `describe`, and makes requests to it. */
function open(start: () => Promise<AcquirerUnderTest>) {
  let test: AcquirerUnderTest;
  beforeAll(async () => {
    test = await start();
  });
  afterAll(() => test.close());

  const request = (changes: Partial<Authorization> = {}): Authorization => ({
    ...authorization,
    reference: newReference(),
    card: test.approvedCard,
    ...changes,
  });

  async function outcomeOf(replying: Promise<AcquirerReply>): Promise<Outcome> {
    const reply = await replying;
    return reply.status === "pending" ? await test.notified(reply) : reply.status;
  }

  /** Makes an approved authorization. */
  async function authorized(capture: boolean): Promise<LaterOperation["authorization"]> {
    const made = request({ capture });
    const reply = await test.acquirer.authorize(made);
    expect(reply.status).toBe("approved");
    return { reference: made.reference, acquirerId: reply.details.acquirerId };
  }

  /** Prepares a request of this kind that is approved and can be sent repeatedly, and its expected record. */
  async function prepare(kind: OperationKind) {
    if (kind === "authorize") {
      const made = request();
      const { reference } = made;
      const send = (isRepeated = false) => test.acquirer.authorize({ ...made, isRepeated });
      return { reference, authorization: { reference }, after: captured, send };
    }
    const authorization = await authorized(kind === "refund");
    const made = later(authorization, amount);
    const after = { capture: captured, cancel: nothing, refund: { ...captured, refunded: amount } }[kind];
    const send = (isRepeated = false) => test.acquirer[kind]({ ...made, isRepeated });
    return { reference: made.reference, authorization, after, send };
  }

  /**
   * Prepares two different requests of this kind with the same reference, and the authorization whose record would show
   * if the second one moved money.
   */
  async function prepareTwo(kind: OperationKind) {
    const { acquirer } = test;
    if (kind === "authorize") {
      const made = request();
      const send = () => acquirer.authorize(made);
      return { send, sendOther: () => acquirer.authorize({ ...made, amount: amount + 1 }), watched: made };
    }
    const [authorization, other] = [await authorized(kind === "refund"), await authorized(kind === "refund")];
    const made = later(authorization, 1000);
    const sendOther = () => acquirer[kind]({ ...made, authorization: other });
    return { send: () => acquirer[kind](made), sendOther, watched: other };
  }

  /** Expects an unknown outcome and an error that doesn't contain the card number. */
  async function expectUnknown(response: Promise<unknown>): Promise<void> {
    const error = await response.then(
      () => new Error("Expected an error"),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(NoReplyError);
    expect(String((error as Error).stack)).not.toContain(test.approvedCard.number); // an Error, as checked above
  }

  return { tested: () => test, request, outcomeOf, authorized, prepare, prepareTwo, expectUnknown };
}

function newReference(): string {
  return `att_${randomUUID()}`;
}

function later(authorization: LaterOperation["authorization"], part: number) {
  return { reference: newReference(), isRepeated: false, authorization, amount: part, currency };
}
