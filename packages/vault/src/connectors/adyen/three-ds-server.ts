/**
 * Adyen's 3DS Server: native 3-D Secure through the Checkout API, without a payment.
 *
 * Each request's idempotency key is the authentication's reference and the request's name, so that a repeated request gets
 * the first response. If no reply arrives, the request is repeated once at once, because the customer is waiting. Error
 * 704 means that the first one is still being processed, and counts as no reply. Any other error counts as an invalid
 * reply, because what the customer's browser sent may have caused it.
 *
 * Each `paymentData` and `authorisationToken` can be used for one request. Requesting the result before the challenge is
 * over would therefore end the authentication.
 */
import type { Mode } from "../../mode.ts";
import type { Money } from "../acquirer.ts";
import type { Observe, VendorRequest } from "../connector.ts";
import { InvalidReplyError, NoReplyError } from "../errors.ts";
import { fieldsOf } from "../fields.ts";
import { createCall, type Call, type Reply } from "../http.ts";
import type { VendorState, VendorThreeDSServer } from "../three-ds-server.ts";
import { maxKeyLength, type AdyenOptions } from "./acquirer.ts";
import { toAdyenAmount, type AdyenAmount } from "./amounts.ts";
import { readAuthentication } from "./authentication-replies.ts";
import {
  authenticationBody,
  challengeDetailsBody,
  methodDetailsBody,
  type AuthenticationState,
} from "./authentication-requests.ts";

export interface AdyenThreeDSOptions extends Pick<
  AdyenOptions<Mode>,
  "mode" | "url" | "apiKey" | "merchantAccount" | "returnUrl" | "observe" | "openCall"
> {
  /** Timeout for each request that makes Adyen send an AReq. Ten seconds is EMV 3DS practice. */
  queryTimeoutMs?: number;
  /** Timeout for the result of a challenge. It's short, because Adyen has it, and it can be requested again. */
  resultTimeoutMs?: number;
}

export function createAdyenThreeDSServer(options: AdyenThreeDSOptions): VendorThreeDSServer {
  const { mode, url, apiKey, merchantAccount, returnUrl, queryTimeoutMs = 10_000, resultTimeoutMs = 5_000 } = options;
  const { openCall = createCall } = options;
  const observe: Observe = options.observe ?? ((_request, run) => run());
  const call = openCall({ url, headers: { "x-api-key": apiKey } });

  return {
    kind: "vendor",
    async begin(request) {
      const what = "an authentication request";
      const { reference } = request;
      const amount = toAdyenAmount(request);
      if (amount === null) return { step: "declined", declineCode: "currency_not_supported" };
      const body = authenticationBody(request, amount, { merchantAccount, returnUrl });
      const reply = await send("authenticate", { what, path: "/payments", body, key: `${reference}.begin` });
      return readAuthentication(what, reply.body, { reference, amount, mode, state: null });
    },
    async afterMethod({ reference, threeDSCompInd, ...request }) {
      const what = "an authentication request after the 3DS Method";
      const amount = amountOf(request);
      const state = readState(request.state, "method");
      const body = methodDetailsBody(state, threeDSCompInd);
      const reply = await send("authenticate", { what, path: "/payments/details", body, key: `${reference}.method` });
      const step = readAuthentication(what, reply.body, { reference, amount, mode, state });
      if (step.step === "method") throw new InvalidReplyError(what, "the 3DS Method has already been run");
      return step;
    },
    async afterChallenge({ reference, transStatus, ...request }) {
      const what = "a request for a 3-D Secure result";
      const amount = amountOf(request);
      const state = readState(request.state, "challenge");
      const body = challengeDetailsBody(state, transStatus);
      const reply = await send("result", { what, path: "/payments/details", body, key: `${reference}.challenge` });
      const step = readAuthentication(what, reply.body, { reference, amount, mode, state });
      if (step.step !== "result" && step.step !== "declined") throw new InvalidReplyError(what, "it isn't a result");
      return step;
    },
  };

  async function send(
    kind: VendorRequest,
    { key, ...request }: Omit<Call, "timeoutMs" | "headers"> & { key: string },
  ): Promise<Reply> {
    // Adyen would refuse the key, or cut it off and confuse two requests.
    if (key.length > maxKeyLength) throw new RangeError("Bug: the reference is too long for an idempotency key");
    const timeoutMs = kind === "result" ? resultTimeoutMs : queryTimeoutMs;
    const once = async () => {
      const reply = await observe(kind, () => call({ ...request, timeoutMs, headers: { "idempotency-key": key } }));
      return checked(request.what, reply);
    };
    return await once().catch((error: unknown) => {
      if (error instanceof NoReplyError) return once();
      throw error;
    });
  }
}

function amountOf(money: Money): AdyenAmount {
  const amount = toAdyenAmount(money);
  if (amount === null) throw new Error("Bug: the authentication was begun with another amount");
  return amount;
}

/** The message isn't kept, because it may quote the request. */
function checked(what: string, reply: Reply): Reply {
  const { status, body } = reply;
  if (status < 400) return reply;
  const { errorCode } = fieldsOf(body);
  if (Number(errorCode) === 704) throw new NoReplyError(what, "an equal request is being processed");
  const code = typeof errorCode === "string" && /^\w{1,10}$/.test(errorCode) ? `, error ${errorCode}` : "";
  throw new InvalidReplyError(what, `HTTP ${status}${code}`);
}

/** @throws Error if it isn't the state of this step, which is a bug */
function readState(state: VendorState, step: AuthenticationState["step"]): AuthenticationState {
  if (state["step"] !== step) throw new Error(`Bug: the authentication has no state for the step ${step}`);
  return state as AuthenticationState; // written by `readAuthentication`
}
