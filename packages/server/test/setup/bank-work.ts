/**
 * The five operations that the acquirer performs, behind one interface, so that a test can cause the same failure in
 * each of them.
 */
import type { AttemptKind } from "../../src/platform/storage/tables.ts";
import { readLedger } from "./bank-ledger.ts";
import { cardNumbers } from "./customer.ts";
import { order, summarize, type Merchant } from "./merchant.ts";
import type { ApiResponse, TestService } from "./test-service.ts";

export const attemptKinds = ["authorize", "verify", "capture", "cancel", "refund"] as const satisfies AttemptKind[];

/** The sandbox bank can look up an outcome, so nothing is reversed there. */
type WorkKind = (typeof attemptKinds)[number];

export interface BankWork {
  kind: WorkKind;
  /**
   * Sends the request, always under the same key. For a customer's page, which has no key, it requests the payment's
   * status instead.
   */
  send(): Promise<ApiResponse>;
  /** The status as the caller can read it: `processing` while the outcome is unknown. */
  state(): Promise<string>;
  /** What the bank did: each record as `approved 1`, with the number of requests it received. */
  booked(): Promise<string[]>;
  /** The events that it created. */
  events(): Promise<string[]>;
  attemptId(): Promise<string>;
  /** The final values of `send`, `state` and `events`. */
  expected: { status: number; state: string; events: string[] };
}

let keys = 0;

/** @param isDeclined makes the bank decline, for a reason that depends on the card */
export async function prepare(
  service: TestService,
  merchant: Merchant,
  kind: WorkKind,
  { isDeclined = false }: { isDeclined?: boolean } = {},
): Promise<BankWork> {
  const key = `work-${++keys}`;
  const post = (path: string, body: object) =>
    merchant.call("POST", `/api/v1/${path}`, body, { "idempotency-key": key });
  const status = isDeclined ? 402 : 200;
  const common = (decisionId: string) => ({
    kind,
    attemptId: () => attemptOf(service, kind, decisionId),
    booked: async () => await booked(service, kind, await attemptOf(service, kind, decisionId)),
  });

  switch (kind) {
    case "authorize": {
      const payment_method_id = isDeclined ? "pm_card_declined_generic" : "pm_card_visa";
      const decision_id = String((await merchant.decide(payment_method_id))["id"]);
      const charge = async () => (await merchant.list(`charges?decision_id=${decision_id}`))[0];
      const state = isDeclined ? "failed" : "succeeded";
      return {
        ...common(decision_id),
        send: () => post("charges", { ...order, payment_method_id, decision_id }),
        state: async () => String((await charge())?.["status"]),
        events: async () => summarize(await merchant.events(String((await charge())?.["id"]))),
        expected: { status, state, events: [isDeclined ? "payment_failed 1 failed" : "payment.succeeded 1 succeeded"] },
      };
    }
    case "verify": {
      const checkout = await merchant.checkout({ mode: "setup" });
      const card = await checkout.encrypt(isDeclined ? cardNumbers.declined : cardNumbers.approved);
      let paymentId = "";
      const payment = async (): Promise<ApiResponse> => {
        const response = paymentId === "" ? await checkout.pay(card) : await checkout.payment(paymentId);
        paymentId = String(response.body["payment"]?.["id"]);
        return response;
      };
      return {
        ...common(""),
        attemptId: () => attemptOf(service, kind, paymentId),
        booked: async () => await booked(service, kind, await attemptOf(service, kind, paymentId)),
        send: payment,
        state: async () => String((await payment()).body["payment"]?.["status"]),
        events: async () => summarize(await merchant.events(checkout.sessionId)),
        expected: {
          status: 200,
          state: isDeclined ? "declined" : "succeeded",
          events: isDeclined ? [] : ["checkout_session.completed 1 complete"],
        },
      };
    }
    case "capture":
    case "cancel": {
      const checkout = await merchant.checkout({ capture_method: "manual" });
      await checkout.pay(isDeclined ? cardNumbers.captureDeclined : cardNumbers.approved);
      const charge = await merchant.chargeOf(checkout);
      const id = String(charge["id"]);
      const body = kind === "capture" ? { amount: 1000 } : {};
      const isBusy = async () => {
        const row = service.context.db.selectFrom("charge").select("busy_attempt_id").where("id", "=", id);
        return (await row.executeTakeFirstOrThrow()).busy_attempt_id !== null;
      };
      const [done, event] =
        kind === "capture"
          ? ["succeeded", "payment.succeeded 2 succeeded"]
          : ["canceled", "charge.canceled 2 canceled"];
      return {
        ...common(String(charge["decision_id"])),
        send: () => post(`charges/${id}/${kind}`, body),
        // The charge stays authorized in the meantime. It is busy, so nothing else can be done with it.
        state: async () =>
          (await isBusy())
            ? "processing"
            : String((await merchant.list(`charges?session_id=${checkout.sessionId}`))[0]?.["status"]),
        events: async () => summarize(await merchant.events(id)).slice(1),
        expected: isDeclined
          ? { status, state: "authorized", events: [`charge.${kind}_failed 2 authorized`] }
          : { status, state: done, events: [event] },
      };
    }
    case "refund": {
      const checkout = await merchant.checkout();
      await checkout.pay(isDeclined ? cardNumbers.refundDeclined : cardNumbers.approved);
      const charge = await merchant.chargeOf(checkout);
      const charge_id = String(charge["id"]);
      const refund = async () => (await merchant.list(`refunds?charge_id=${charge_id}`))[0];
      const state = isDeclined ? "failed" : "succeeded";
      return {
        ...common(String(charge["decision_id"])),
        send: () => post("refunds", { charge_id, amount: 700 }),
        state: async () => String((await refund())?.["status"]),
        events: async () => summarize(await merchant.events(String((await refund())?.["id"]))),
        expected: { status, state, events: [`refund.${state} 1 ${state}`] },
      };
    }
  }
}

async function attemptOf({ context }: TestService, kind: WorkKind, decisionId: string): Promise<string> {
  const attempts = context.db
    .selectFrom("attempt")
    .select("id")
    .where("decision_id", "=", decisionId)
    .where("kind", "=", kind);
  return (await attempts.executeTakeFirstOrThrow()).id;
}

async function booked(service: TestService, kind: WorkKind, reference: string): Promise<string[]> {
  const { authorizations, captures, cancels, refunds } = await readLedger(service);
  const entries = {
    authorize: authorizations,
    verify: authorizations,
    capture: captures,
    cancel: cancels,
    refund: refunds,
  }[kind];
  return entries
    .filter((entry) => entry.reference === reference)
    .map(({ status, requests }) => `${status} ${requests}`);
}
