/** Sends an attempt to the acquirer, with what the acquirer wants to know about the payment. */
import {
  CardGoneError,
  SealBrokenError,
  type AcquirerOutcome,
  type CardAcquirer,
  type CardUsage,
  type Proof,
} from "@oriel/vault";
import type { Row } from "../../platform/storage/tables.ts";
import { recordSentAsRefund, recordWithoutCvc } from "../attempts/attempt-state.ts";
import { notProcessed } from "../attempts/final-reply.ts";
import { cardOf, savesCard, type Subject } from "../attempts/subject.ts";
import type { PaymentContext } from "../context.ts";
import { customerOf } from "../payment-methods/customer-of.ts";
import { firstTransactionId } from "../payment-methods/first-transaction.ts";
import { enterLateCapture, findReversed } from "../reversals/reversals.ts";
import { isProved } from "../threeds/outcome.ts";

/**
 * A repeated message is exactly the first one, because everything in it is fixed once the attempt exists.
 *
 * @returns the acquirer's outcome, or a decline if nothing was sent and nothing can be
 */
export async function sendAttempt(
  context: PaymentContext,
  acquirer: CardAcquirer,
  attempt: Row<"attempt">,
  subject: Subject,
): Promise<AcquirerOutcome> {
  const { kind, id: reference, amount } = attempt;
  const isRepeated = attempt.calls > 1;
  const { currency } = subject;
  switch (kind) {
    case "authorize":
    case "verify":
      return await authorize(context, acquirer, attempt, subject);
    case "reverse":
      return await reverse(context, acquirer, attempt, subject);
    case "capture":
      return await acquirer.capture({
        reference,
        isRepeated,
        authorization: authorizationOf(attempt, subject),
        amount,
        currency,
      });
    case "cancel":
      return await acquirer.cancel({ reference, isRepeated, authorization: authorizationOf(attempt, subject) });
    case "refund":
      return await acquirer.refund({
        reference,
        isRepeated,
        authorization: authorizationOf(attempt, subject),
        amount,
        currency,
      });
  }
}

async function authorize(
  context: PaymentContext,
  acquirer: CardAcquirer,
  attempt: Row<"attempt">,
  subject: Subject,
): Promise<AcquirerOutcome> {
  const { kind, id: reference, amount } = attempt;
  const isRepeated = attempt.calls > 1;
  try {
    const outcome = await acquirer.authorize(cardOf(attempt, subject), {
      reference,
      isRepeated,
      amount,
      currency: subject.currency,
      capture: kind === "authorize" && subject.capture_method === "automatic",
      ...networkOf(subject),
      ...merchantOf(attempt, subject),
      ...proofOf(subject),
      ...customerOf(subject),
      usage: await usageOf(context, attempt, subject),
      usesCvc: subject.session_id !== null && !attempt.without_cvc,
    });
    if (outcome.outcome !== "no_cvc") return outcome;
    if (!(await recordWithoutCvc(context, attempt)))
      return { outcome: "unknown", reason: "another process has claimed or ended the attempt" };
    return await authorize(context, acquirer, { ...attempt, without_cvc: true }, subject);
  } catch (error) {
    // The acquirer doesn't know this attempt, and without its card no money can move under this ID. But a process with
    // a newer key file may be able to open a card that this process can't, and an earlier call may already have sent a
    // message.
    const isUnreadable = error instanceof SealBrokenError && error.reason !== "unknown_key" && !isRepeated;
    if (error instanceof CardGoneError || isUnreadable) return notProcessed(attempt);
    if (error instanceof SealBrokenError) return { outcome: "unknown", reason: "this process can't decrypt the card" };
    throw error;
  }
}

/** Undoes an authorization by our reference, or by the acquirer's ID. */
async function reverse(
  context: PaymentContext,
  acquirer: CardAcquirer,
  attempt: Row<"attempt">,
  { currency }: Subject,
): Promise<AcquirerOutcome> {
  const { id: reference, reversal, amount } = attempt;
  const isRepeated = attempt.calls > 1;
  const authorization = await findReversed(context.db, attempt);
  const { id: authorizationReference, acquirer_id: acquirerId } = authorization;
  const by = { reference: authorizationReference, acquirerId };
  switch (reversal) {
    case "reference":
      return await acquirer.reverse({ authorizationReference, reference, isRepeated, amount, currency });
    case "cancel":
      return await acquirer.cancel({ reference, isRepeated, authorization: by });
    case "refund": {
      const isRefund = await context.db.transaction().execute(async (tx) => {
        await enterLateCapture(context, tx, attempt);
        return await recordSentAsRefund(tx, attempt, !acquirer.capabilities.cancelsOrRefunds);
      });
      const request = { reference, isRepeated, authorization: by, amount, currency };
      return await (isRefund ? acquirer.refund(request) : acquirer.cancelOrRefund(request));
    }
    case null:
      throw new Error(`Bug: attempt ${reference} doesn't say how it reverses`);
  }
}

function authorizationOf(
  { id }: Row<"attempt">,
  { authorization: reference, authorization_acquirer_id: acquirerId }: Subject,
) {
  if (reference === null) throw new Error(`Bug: attempt ${id} needs an authorization, but none was approved`);
  return { reference, acquirerId };
}

/** Returns the card network that the customer chose. If there is none, the acquirer decides. */
function networkOf({ network }: Subject) {
  return network === null ? {} : { network };
}

/**
 * Returns the merchant ID at the service's acquirer. In live mode it comes from the decision, and nothing is sent
 * without one. An account's own acquirer account needs none.
 */
function merchantOf({ id, livemode }: Row<"attempt">, subject: Subject) {
  const { acquirer_account_id: own, acquirer_merchant_id: merchantId } = subject;
  if (own !== null) return {};
  if (livemode !== (merchantId !== null))
    throw new Error(`Bug: attempt ${id} and its merchant ID are in different modes`);
  return merchantId === null ? {} : { merchantId };
}

/**
 * The issuer's proof of the authentication; empty without one. The ECI is optional because some directory servers don't
 * return it.
 */
function proofOf(subject: Subject): { proof?: Proof } {
  const { version, flow, trans_status, result, eci, authentication_value, ds_trans_id } = subject;
  if (!isProved(result) || version === null || trans_status === null) return {};
  if (ds_trans_id === null || authentication_value === null) return {};
  const statuses =
    flow === null
      ? { authenticationStatus: trans_status }
      : { authenticationStatus: flow === "challenge" ? "C" : "D", challengeStatus: trans_status };
  return {
    proof: {
      version,
      dsTransId: ds_trans_id,
      ...(eci === null ? {} : { eci }),
      authenticationValue: authentication_value,
      ...statuses,
    },
  };
}

/**
 * A charge without a session is made by the merchant's server, with a card that was saved earlier. Only an account's
 * own acquirer gets the network's ID of the payment that saved it, because the service's has no field for it.
 */
async function usageOf(context: PaymentContext, attempt: Row<"attempt">, subject: Subject): Promise<CardUsage> {
  if (subject.session_id !== null) return { kind: savesCard(subject) ? "store" : "once" };
  const isOwnAcquirer = subject.acquirer_account_id !== null;
  const first = isOwnAcquirer ? await firstTransactionId(context.db, attempt, subject.payment_method_id) : null;
  return { kind: "stored_by_merchant", firstNetworkTransactionId: first };
}
