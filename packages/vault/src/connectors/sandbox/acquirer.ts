/**
 * Authorizations, captures, cancellations and refunds. If the acquirer rejects a request as invalid (400, 404, 409,
 * 422), this request decided nothing, but an earlier one with the same reference may have succeeded. So the reference is
 * looked up, and its record is the result. If there's no record, no money can move and the result is a decline. The
 * exception is 409: it says that the reference is used, which contradicts the lookup, so the outcome is unknown.
 */
import type { AuthorizationRequest, CancelRequest, CaptureRequest, RefundRequest } from "@oriel/protocol/acquirer";
import type { Mode } from "../../mode.ts";
import {
  noDetails,
  type AcquirerWithLookup,
  type AcquirerReply,
  type Authorization,
  type Capabilities,
  type MoneyOperation,
  type OperationKind,
  type Proof,
} from "../acquirer.ts";
import type { Observe } from "../connector.ts";
import { InvalidReplyError } from "../errors.ts";
import type { SendCall } from "../http.ts";
import { isRefusal, readReply } from "./replies.ts";

export interface AcquirerParts<M extends Mode> {
  mode: M;
  call: SendCall;
  observe: Observe;
  moneyTimeoutMs: number;
  queryTimeoutMs: number;
}

export const sandboxCapabilities: Capabilities = {
  captures: "immediate",
  cancels: "immediate",
  refunds: "immediate",
  multiplePartialCaptures: false,
  cancelsOrRefunds: false,
  partialApproval: false,
  storedCards: true,
  toVendorAmount: ({ amount }) => amount,
  testCards: [],
};

interface Requests {
  authorize: AuthorizationRequest;
  capture: CaptureRequest;
  cancel: CancelRequest;
  refund: RefundRequest;
}

/** The acquirer's path for each operation, and its name in our errors. */
const resources: Record<OperationKind, { path: string; what: string }> = {
  authorize: { path: "/acquirer/authorizations", what: "an authorization" },
  capture: { path: "/acquirer/captures", what: "a capture" },
  cancel: { path: "/acquirer/cancels", what: "a cancellation" },
  refund: { path: "/acquirer/refunds", what: "a refund" },
};

export function openAcquirer<M extends Mode>(parts: AcquirerParts<M>): AcquirerWithLookup<M> {
  const { mode, call, observe, moneyTimeoutMs, queryTimeoutMs } = parts;
  const refund = ({ reference, authorization, amount }: MoneyOperation) =>
    move("refund", { reference, authorization: authorization.reference, amount });

  return {
    mode,
    capabilities: sandboxCapabilities,
    unknownOutcome: { by: "reference", lookup },
    authorize: (request) => move("authorize", toAuthorizationRequest(request)),
    capture: ({ reference, authorization, amount }) =>
      move("capture", { reference, authorization: authorization.reference, amount }),
    cancel: ({ reference, authorization }) => move("cancel", { reference, authorization: authorization.reference }),
    refund,
    // A payment that is captured at once is captured when it's approved.
    cancelOrRefund: refund,
  };

  async function move<K extends OperationKind>(kind: K, body: Requests[K]): Promise<AcquirerReply> {
    const { path, what: operation } = resources[kind];
    const what = `${operation} request`;
    const reply = await observe(kind, () => call({ what, path, timeoutMs: moneyTimeoutMs, body }));
    if (reply.status === 200) return readReply(kind, reply.body, body.reference);
    if (![400, 404, 409, 422].includes(reply.status)) throw new InvalidReplyError(what, `HTTP ${reply.status}`);
    const known = await lookup(kind, body.reference);
    if (known !== null) return known;
    if (reply.status === 409)
      throw new InvalidReplyError(what, "HTTP 409, although the acquirer has no record of the reference");
    return { status: "declined", declineCode: "processing_error", details: noDetails };
  }

  async function lookup(kind: OperationKind, reference: string): Promise<AcquirerReply | null> {
    const what = `a lookup of ${resources[kind].what}`;
    const path = `${resources[kind].path}/${encodeURIComponent(reference)}`;
    const reply = await observe("lookup", () => call({ what, path, timeoutMs: queryTimeoutMs }));
    if (reply.status === 200) return readReply(kind, reply.body, reference);
    // Only the acquirer's own 404 counts. A proxy's 404 says nothing about the reference.
    if (reply.status === 404 && isRefusal(reply.body)) return null;
    throw new InvalidReplyError(what, `HTTP ${reply.status}`);
  }
}

function toAuthorizationRequest(request: Authorization): AuthorizationRequest {
  const { reference, amount, currency, capture, card, network, merchantId, proof } = request;
  return {
    reference,
    amount,
    currency,
    capture,
    ...(network !== undefined && { network }),
    ...(merchantId !== undefined && { merchant_id: merchantId }),
    ...(proof !== undefined && { three_d_secure: toThreeDSecure(proof) }),
    card: {
      number: card.number,
      exp_month: card.expMonth,
      exp_year: card.expYear,
      ...(card.cvc !== undefined && { cvc: card.cvc }),
    },
  };
}

function toThreeDSecure({ eci, authenticationValue, dsTransId }: Proof) {
  return {
    ...(eci !== undefined && { eci }),
    ds_trans_id: dsTransId,
    ...(authenticationValue !== undefined && { authentication_value: authenticationValue }),
  };
}
