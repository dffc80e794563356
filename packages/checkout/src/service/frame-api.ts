/**
 * The service, as the frame sees it. Holds what each answer renews: the token of this load, the key and nonce for the
 * next card, the session as last heard, and by how much the device's clock is wrong. That is measured whenever the
 * session is opened. The time that follows is never ahead of the service's; after the first answer it's behind by as
 * long as that waited for this code.
 *
 * Our own service on our own origin is believed; its JSON is read with the protocol's types. A token that is no longer
 * known (the service forgot it, the machine slept) is exchanged anew, once per call, with the secret that this page
 * keeps.
 *
 * A payment request without an answer is asked about whenever the session is opened, until the service has said whether
 * it arrived: that is final, for the service refuses it from then on if it had not. So is one that was refused as used
 * before, which can be the browser's own second copy. The history entry keeps the request's id while no answer is
 * known, so that a reload asks about it too.
 *
 * A 429 says that too many were asking, perhaps strangers on the same network, and nothing of what was asked about. So
 * it is no refusal here but silence, after which one asks again. Only a payment that was to begin is refused by it, for
 * then none has begun.
 */
import type {
  CardEncryption,
  FrameAnswer,
  FramePayment,
  FramePaymentRequest,
  FrameSession,
} from "@oriel/protocol/frame";
import { keep, readKept } from "./client-secret.ts";
import type { CallOptions, CallResult, FrameCall } from "./frame-call.ts";

export type Outcome<T> =
  | { kind: "answer"; body: T }
  | { kind: "refused"; code: string; param?: string }
  | { kind: "unreachable" };

export interface FrameApi {
  /** As last heard; null until the first `open` has answered. */
  session(): FrameSession["session"] | null;
  encryption(): CardEncryption | null;
  /**
   * The service's time: what it told last, and what the device's clock has counted since. The device's own time until
   * then.
   */
  now(): number;
  /** A payment request was sent, perhaps before a reload, and the service hasn't said yet whether it arrived. */
  mayHaveSent(): boolean;
  open(opening?: Promise<CallResult>): Promise<Outcome<FrameSession>>;
  pay(request: FramePaymentRequest): Promise<Outcome<FramePayment>>;
  payment(id: string): Promise<Outcome<FramePayment>>;
  authenticate(id: string): Promise<Outcome<FramePayment>>;
  cancel(id: string): Promise<Outcome<FramePayment>>;
}

/** The service itself waits up to ten seconds for the bank. */
const payTimeoutMs = 30_000;
const payPath = "/frame/payments";

/**
 * @param openSession exchanges the secret for a token and the session's data, and asks about a request whose answer was
 *   lost
 */
export function createFrameApi(
  call: FrameCall,
  openSession: (lost?: string) => Promise<CallResult>,
  history: History,
  deviceNow: () => number,
): FrameApi {
  let lost = readKept(history)?.lost;
  let token: string | undefined;
  let session: FrameSession["session"] | null = null;
  let encryption: CardEncryption | null = null;
  let aheadMs = 0;
  let questions = 0;
  let newestHeard = 0;

  const lose = (id?: string) => keep(history, { lost: (lost = id) });
  const open = async (opening?: Promise<CallResult>): Promise<Outcome<FrameSession>> => {
    // The first script opens the session without asking about a lost request.
    const result = heard(await ((!lost && opening) || openSession(lost)));
    if (result.kind !== "answer") return result;
    // Only what was asked about: a token that is renewed while a payment request is sent says nothing about that.
    if (lost) lose();
    // From our own origin, under our own types.
    const body = result.body as FrameSession;
    ({ token, session, encryption } = body);
    // A service from before an upgrade doesn't tell the time.
    aheadMs = deviceNow() - body.now || 0;
    return { kind: "answer", body };
  };

  const ask = async (options: CallOptions): Promise<Outcome<FramePayment>> => {
    const question = ++questions;
    const send = async () => {
      const result = await call(token === undefined ? options : { ...options, token });
      return options.path === payPath ? result : heard(result);
    };
    let result = await send();
    if (result.kind === "refused" && result.status === 401) {
      const opened = await open();
      if (opened.kind !== "answer") return opened;
      result = await send();
    }
    if (result.kind === "refused" && result.encryption) encryption = result.encryption;
    if (result.kind !== "answer") return result;
    // From our own origin, under our own types.
    const answer = result.body as FrameAnswer;
    // A cancel can overtake a question that was asked before it.
    if (question > newestHeard) {
      newestHeard = question;
      encryption = answer.encryption;
      if (session) session = { ...session, ...answer.session };
    }
    return { kind: "answer", body: answer.payment };
  };

  const of = (id: string, verb = "") => `${payPath}/${encodeURIComponent(id)}${verb}`;
  return {
    session: () => session,
    encryption: () => encryption,
    now: () => deviceNow() - aheadMs,
    mayHaveSent: () => lost !== undefined,
    open,
    async pay(request) {
      keep(history, { lost: request.request_id });
      const sent = await ask({ method: "POST", path: payPath, body: request, timeoutMs: payTimeoutMs });
      const isOpen = sent.kind === "unreachable" || (sent.kind === "refused" && sent.code === "card_message_stale");
      lose(isOpen ? request.request_id : undefined);
      return sent;
    },
    payment: (id) => ask({ method: "GET", path: of(id) }),
    authenticate: (id) => ask({ method: "POST", path: of(id, "/authenticate"), body: {}, timeoutMs: payTimeoutMs }),
    cancel: (id) => ask({ method: "POST", path: of(id, "/cancel"), body: {} }),
  };
}

function heard(result: CallResult): CallResult {
  return result.kind === "refused" && result.status === 429 ? { kind: "unreachable" } : result;
}
