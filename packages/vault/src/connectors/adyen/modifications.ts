/**
 * Captures, cancellations, refunds and reversals of a payment, and the technical cancel, which finds the payment by our
 * reference. Adyen only confirms that it received the request. A notification reports the outcome. Source: the paths
 * `/payments/{paymentPspReference}/captures`, `/cancels`, `/refunds`, `/reversals`, and `/cancels` in Checkout API v72.
 */
import { noDetails, type AcquirerReply, type LaterOperation } from "../acquirer.ts";
import { InvalidReplyError } from "../errors.ts";
import { fieldsOf, textOrNull } from "../fields.ts";
import { isSameAmount, type AdyenAmount } from "./amounts.ts";

/** A request, and what a response to it must repeat. */
export interface Modification {
  path: string;
  body: { merchantAccount: string; reference: string; amount?: AdyenAmount; paymentReference?: string };
  paymentPspReference?: string;
}

/** A capture or refund has an amount. A cancellation or reversal has none, because it returns everything. */
export function modification(
  kind: "captures" | "cancels" | "refunds" | "reversals",
  { reference, authorization }: LaterOperation,
  merchantAccount: string,
  amount?: AdyenAmount,
): Modification {
  const paymentPspReference = authorization.acquirerId;
  if (paymentPspReference === null) throw new RangeError("Bug: an authorization at Adyen always has an acquirerId");
  return {
    path: `/payments/${encodeURIComponent(paymentPspReference)}/${kind}`,
    body: { merchantAccount, reference, ...(amount === undefined ? {} : { amount }) },
    paymentPspReference,
  };
}

/** Cancels the payment with this reference if it wasn't captured. */
export function technicalCancel(
  { reference, authorizationReference }: { reference: string; authorizationReference: string },
  merchantAccount: string,
): Modification {
  return { path: "/cancels", body: { merchantAccount, reference, paymentReference: authorizationReference } };
}

/** @throws InvalidReplyError if it isn't a complete response to this request */
export function readModification(what: string, body: unknown, sent: Modification): AcquirerReply {
  const { status, reference, pspReference, amount, paymentPspReference, paymentReference } = fieldsOf(body);
  const acquirerId = textOrNull(pspReference, 64);
  const isOurs = reference === undefined || reference === sent.body.reference;
  if (status !== "received") throw new InvalidReplyError(what, "its status isn't `received`");
  if (acquirerId === null) throw new InvalidReplyError(what, "it has no pspReference");
  if (!isOurs) throw new InvalidReplyError(what, "it's about another request");
  if (paymentPspReference !== sent.paymentPspReference || paymentReference !== sent.body.paymentReference)
    throw new InvalidReplyError(what, "it's about another payment");
  if (sent.body.amount !== undefined && !isSameAmount(amount, sent.body.amount))
    throw new InvalidReplyError(what, "it's about another amount");
  return { status: "pending", details: { ...noDetails, acquirerId } };
}
