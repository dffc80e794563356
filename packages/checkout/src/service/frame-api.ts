/**
 * The iframe's client for the service. It keeps what each response renews: the token of this page load, the key and
 * nonce for the next card, the latest known session, and the device clock's offset. The offset is measured whenever the
 * session is opened, so the resulting time is never ahead of the service's. After the first response, it is behind by
 * the time that the response waited for this code to load.
 *
 * The service is ours and on our own origin, so its JSON is trusted and read with the protocol's types. When a token is
 * no longer valid (the service forgot it, the machine slept), the client secret is exchanged for a new one, at most
 * once per call.
 *
 * When a payment request gets no response, the next `open` asks the service whether the request arrived. The reply is
 * final: if the request hasn't arrived by then, the service refuses it from then on. A request refused as already used
 * is treated the same way, because browsers can send a request twice. While the outcome is unknown, the history entry
 * keeps the request's ID, so that a reload asks about it too.
 *
 * A 429 means too many requests, perhaps from strangers on the same network, and says nothing about the payment. It
 * counts as no response, so the caller retries. Only for a request that would start a payment is it a refusal, because
 * then no payment has started.
 */
import type {
  CardEncryption,
  FrameResponse,
  FramePayment,
  FramePaymentRequest,
  FrameSession,
} from "@oriel/protocol/frame";
import { readEntry, updateEntry } from "./client-secret.ts";
import type { CallOptions, CallResult, FrameCall } from "./frame-call.ts";

export type Outcome<T> =
  | { kind: "answer"; body: T }
  | { kind: "refused"; code: string; param?: string }
  | { kind: "unreachable" };

export interface FrameApi {
  /** The latest known session; null until the first `open` succeeds. */
  session(): FrameSession["session"] | null;
  encryption(): CardEncryption | null;
  /**
   * The service's time: what it last reported, plus what the device's clock has counted since. Until then, the device's
   * own time.
   */
  now(): number;
  /**
   * Whether a payment request was sent, perhaps before a reload, and the service hasn't said yet whether it arrived.
   */
  mayHaveSent(): boolean;
  open(opening?: Promise<CallResult>): Promise<Outcome<FrameSession>>;
  pay(request: FramePaymentRequest): Promise<Outcome<FramePayment>>;
  /** Completes a session whose total is 0. Returns a payment that has succeeded, although nothing was paid. */
  complete(version: number | undefined): Promise<Outcome<FramePayment>>;
  payment(id: string): Promise<Outcome<FramePayment>>;
  authenticate(id: string): Promise<Outcome<FramePayment>>;
  cancel(id: string): Promise<Outcome<FramePayment>>;
  /** Sends a request about the session rather than a payment: a POST if there's a body. */
  requestOfSession(path: string, body: object | undefined, timeoutMs: number): Promise<Outcome<unknown>>;
}

/** The service waits up to ten seconds for the acquirer. */
const payTimeoutMs = 30_000;
const payPath = "/frame/payments";

/**
 * @param openSession exchanges the secret for a token and the session's data, and asks about a request whose outcome is
 *   unknown
 */
export function createFrameApi(
  call: FrameCall,
  openSession: (lost?: string) => Promise<CallResult>,
  history: History,
  deviceNow: () => number,
): FrameApi {
  let lost = readEntry(history)?.lost;
  let token: string | undefined;
  let session: FrameSession["session"] | null = null;
  let encryption: CardEncryption | null = null;
  let aheadMs = 0;
  let requests = 0;
  let newestReceived = 0;

  const setLost = (id?: string) => updateEntry(history, { lost: (lost = id) });
  const open = async (opening?: Promise<CallResult>): Promise<Outcome<FrameSession>> => {
    // `checkout.ts` opens the session without asking about a lost request, so its result can't be used if there is
    // one. It's awaited all the same, because it also waits for the loader (`pay/pay.ts`).
    const first = await opening;
    const result = withoutLimit((!lost && first) || (await openSession(lost)));
    if (result.kind !== "answer") return result;
    // Clear only what this call asked about. Renewing a token while a payment request is being sent tells us nothing
    // about that request.
    if (lost) setLost();
    // From our own origin, under our own types.
    const body = result.body as FrameSession;
    ({ token, session, encryption } = body);
    // Versions of the service before these fields existed don't send them.
    session.version ||= 1;
    session.shipping_options ??= [];
    session.collect ??= { promotion_code: false };
    aheadMs = deviceNow() - body.now || 0;
    return { kind: "answer", body };
  };

  const send = async (options: CallOptions, isStart = false): Promise<CallResult | Outcome<never>> => {
    const once = async () => {
      const result = await call(token === undefined ? options : { ...options, token });
      return isStart ? result : withoutLimit(result);
    };
    const result = await once();
    if (result.kind !== "refused" || result.status !== 401) return result;
    const opened = await open();
    return opened.kind === "answer" ? once() : opened;
  };

  const request = async (options: CallOptions, isStart = false): Promise<Outcome<FramePayment>> => {
    const requestNumber = ++requests;
    const result = await send(options, isStart);
    if ("encryption" in result && result.encryption) encryption = result.encryption;
    if (result.kind !== "answer") return result;
    // From our own origin, under our own types.
    const answer = result.body as FrameResponse;
    // A cancel can overtake an earlier request, whose response is then out of date.
    if (requestNumber > newestReceived) {
      newestReceived = requestNumber;
      encryption = answer.encryption;
      if (session) session = { ...session, ...answer.session };
    }
    return { kind: "answer", body: answer.payment };
  };

  /** @param id later asks whether the request arrived */
  const start = async (path: string, body: object, id: string | undefined): Promise<Outcome<FramePayment>> => {
    updateEntry(history, { lost: id });
    const sent = await request({ method: "POST", path, body, timeoutMs: payTimeoutMs }, true);
    const isOpen = sent.kind === "unreachable" || (sent.kind === "refused" && sent.code === "card_message_stale");
    setLost(isOpen ? id : undefined);
    return sent;
  };

  const of = (id: string, verb = "") => `${payPath}/${encodeURIComponent(id)}${verb}`;
  const ofSession = (path: string) => `/frame/sessions/${session?.id}/${path}`;
  return {
    session: () => session,
    encryption: () => encryption,
    now: () => deviceNow() - aheadMs,
    mayHaveSent: () => lost !== undefined,
    open,
    pay: (body) => start(payPath, body, body.request_id),
    complete: (version) =>
      start(ofSession("complete"), { payment_round: session?.payment_round, version }, crypto.randomUUID()),
    payment: (id) => request({ method: "GET", path: of(id) }),
    authenticate: (id) => request({ method: "POST", path: of(id, "/authenticate"), body: {}, timeoutMs: payTimeoutMs }),
    cancel: (id) => request({ method: "POST", path: of(id, "/cancel"), body: {} }),
    requestOfSession: (path, body, timeoutMs) =>
      send({ method: body ? "POST" : "GET", path: ofSession(path), ...(body && { body }), timeoutMs }),
  };
}

function withoutLimit(result: CallResult): CallResult {
  return result.kind === "refused" && result.status === 429 ? { kind: "unreachable" } : result;
}
