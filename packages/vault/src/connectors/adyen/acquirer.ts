/**
 * Adyen's Checkout API as an acquirer.
 *
 * Each operation's reference is its idempotency key. Adyen returns the first response to every later request with the same
 * key. Keys "are valid for a minimum period of 7 days after first submission". While the first request is being processed,
 * a second fails with error 704, so the outcome is unknown. Adyen has no request that looks up a payment by its reference:
 * an unknown outcome is resolved by sending the request again, and that of an authorization later by a technical cancel.
 * Source: https://docs.adyen.com/development-resources/api-idempotency
 *
 * A validation error (400 or 422 with the `errorType` `validation`, and none of `ambiguousCodes`) is a decline only if the
 * request is sent for the first time. A repeated request may differ from the first, for example because the card has
 * expired meanwhile, so its error says nothing about the first. Other errors, such as 401, leave the outcome unknown.
 */
import type { Mode } from "../../mode.ts";
import { noDetails, type Acquirer, type AcquirerReply, type MoneyOperation } from "../acquirer.ts";
import type { Observe, VendorRequest } from "../connector.ts";
import { InvalidReplyError } from "../errors.ts";
import { fieldsOf, textOrNull } from "../fields.ts";
import { createCall, type OpenCall, type Reply } from "../http.ts";
import { toAdyenAmount } from "./amounts.ts";
import { modification, readModification, technicalCancel, type Modification } from "./modifications.ts";
import { readPayment } from "./payment-replies.ts";
import { paymentBody, type AdyenMerchant } from "./payments.ts";
import { adyenTestCards } from "./test-cards.ts";

export interface AdyenOptions<M extends Mode> extends AdyenMerchant {
  mode: M;
  /**
   * The URL of the Checkout API with its version, without a trailing slash, such as
   * `https://checkout-test.adyen.com/v72`. It must stay in one region: others don't know its idempotency keys.
   */
  url: string;
  apiKey: string;
  /** Whether multiple partial captures are enabled for the merchant account. If not, the first capture is the only one. */
  multiplePartialCaptures?: boolean;
  /** Timeout for each request. */
  moneyTimeoutMs?: number;
  /** Called with each HTTP request, to measure it. A technical cancel counts as a cancellation. */
  observe?: Observe;
  /** Opens the connection. Default: over HTTP. */
  openCall?: OpenCall;
}

/** How long Adyen keeps an idempotency key at least. Earlier versions of its documentation said 14 or 31 days. */
const safeForMs = 7 * 24 * 3_600_000;

/** The longest idempotency key. */
export const maxKeyLength = 64;

export function createAdyenAcquirer<M extends Mode>(options: AdyenOptions<M>): Acquirer<M> {
  const {
    mode,
    url,
    apiKey,
    merchantAccount,
    returnUrl,
    multiplePartialCaptures = false,
    moneyTimeoutMs = 20_000,
    openCall = createCall,
  } = options;
  const observe: Observe = options.observe ?? ((_request, run) => run());
  const call = openCall({ url, headers: { "x-api-key": apiKey } });

  return {
    mode,
    capabilities: {
      captures: "notified",
      cancels: "notified",
      refunds: "notified",
      multiplePartialCaptures,
      // Adyen has no reversal of payments that can be captured several times.
      cancelsOrRefunds: !multiplePartialCaptures,
      partialApproval: false,
      storedCards: true,
      toVendorAmount: (money) => toAdyenAmount(money)?.value ?? null,
      testCards: adyenTestCards,
    },
    unknownOutcome: {
      by: "replay",
      safeForMs,
      reverse: (operation) =>
        modify("cancel", "a technical cancel request", technicalCancel(operation, merchantAccount), operation),
    },
    async authorize(request) {
      const what = "an authorization request";
      const { reference, isRepeated, merchantId = merchantAccount } = request;
      // Later operations don't have the merchant's ID, so all of them use this connector's account.
      if (merchantId !== merchantAccount) throw new RangeError("Bug: the payment is for another merchant account");
      const amount = toAdyenAmount(request);
      if (amount === null) return refuseAmount(what, isRepeated);
      const body = paymentBody(request, amount, { merchantAccount, returnUrl });
      const reply = await send("authorize", what, "/payments", body);
      return readError(what, reply, isRepeated) ?? readPayment(what, reply.body, { reference, amount });
    },
    capture: (request) => move("capture", "captures", request),
    cancel: async (request) =>
      await modify("cancel", "a cancellation request", modification("cancels", request, merchantAccount), request),
    refund: (request) => move("refund", "refunds", request),
    cancelOrRefund: async (request) =>
      await modify("refund", "a reversal request", modification("reversals", request, merchantAccount), request),
  };

  async function move(kind: "capture" | "refund", path: "captures" | "refunds", request: MoneyOperation) {
    const what = `a ${kind} request`;
    const amount = toAdyenAmount(request);
    if (amount === null) return refuseAmount(what, request.isRepeated);
    return await modify(kind, what, modification(path, request, merchantAccount, amount), request);
  }

  async function modify(
    kind: VendorRequest,
    what: string,
    request: Modification,
    { isRepeated }: { isRepeated: boolean },
  ): Promise<AcquirerReply> {
    const reply = await send(kind, what, request.path, request.body);
    return readError(what, reply, isRepeated) ?? readModification(what, reply.body, request);
  }

  async function send(kind: VendorRequest, what: string, path: string, body: { reference: string }): Promise<Reply> {
    const { reference } = body;
    // Adyen would refuse the key, or cut it off and confuse two operations.
    if (reference.length > maxKeyLength) throw new RangeError("Bug: the reference is too long for an idempotency key");
    return await observe(kind, () =>
      call({ what, path, timeoutMs: moneyTimeoutMs, body, headers: { "idempotency-key": reference } }),
    );
  }
}

/** @throws InvalidReplyError if the request may have been sent by a version that could express the amount */
function refuseAmount(what: string, isRepeated: boolean): AcquirerReply {
  if (isRepeated) throw new InvalidReplyError(what, "the amount can't be sent");
  return { status: "declined", declineCode: "currency_not_supported", details: noDetails };
}

/**
 * Reads `ServiceError`. Returns null if the status is a success. The message isn't kept, because it may quote the request.
 *
 * @throws InvalidReplyError if the operation may have been processed
 */
function readError(what: string, { status, body }: Reply, isRepeated: boolean): AcquirerReply | null {
  if (status < 400) return null;
  const { errorCode, errorType, pspReference } = fieldsOf(body);
  const code = errorCodeOf(errorCode);
  const isRejected = !isRepeated && (status === 400 || status === 422) && errorType === "validation" && code !== null;
  if (!isRejected || ambiguousCodes.has(Number(code)))
    throw new InvalidReplyError(what, `HTTP ${status}${code === null ? "" : `, error ${code}`}`);
  const details = { ...noDetails, acquirerId: textOrNull(pspReference, 64), refusal: { code, reason: null } };
  return { status: "declined", declineCode: "processing_error", details };
}

/**
 * Error codes after which the outcome is unknown although the `errorType` is `validation`. Source:
 * https://docs.adyen.com/development-resources/error-codes
 */
const ambiguousCodes: ReadonlySet<number> = new Set([
  0, // Generic, also for a wrong API key
  10, // The API key lacks a permission
  704, // A request with the same key is in progress
  901, // The merchant account is wrong
]);

/** Text in the API's schema, but Adyen's examples also contain numbers, which have no leading zeros. */
function errorCodeOf(value: unknown): string | null {
  const code = typeof value === "number" ? String(value) : value;
  return typeof code === "string" && /^\w{1,10}$/.test(code) ? code : null;
}
