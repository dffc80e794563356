/** An in-memory service behind `FrameCall`: it records the requests and returns responses that the test has queued. */
import type { CardEncryption, FrameResponse, FramePayment, FrameSession } from "@oriel/protocol/frame";
import type { CallOptions, CallResult, FrameCall } from "../src/service/frame-call.ts";
import type { Reply, Send } from "../src/service/send-request.ts";

export interface FakeService {
  call: FrameCall;
  /** The same below `FrameCall`, as `checkout.ts` sends requests. */
  send: Send;
  requests: CallOptions[];
  /** The requests as `METHOD path`, in order. */
  paths(): string[];
  /** Queues the next responses to `METHOD path`, in order; the last one is repeated. */
  on(request: string, ...results: (CallResult | Promise<CallResult>)[]): void;
  /**
   * @param received whether the service says that it received a payment request whose response was lost; null if it
   * says nothing
   */
  session(
    changes?: Partial<FrameSession["session"]>,
    payment?: FramePayment | null,
    received?: boolean | null,
  ): CallResult;
  payment(payment: FramePayment, changes?: Partial<FrameResponse["session"]>): CallResult;
  /** How far the device's clock is ahead of the service's. Tests can change it. */
  aheadMs: number;
}

export const sessionId = "cs_1";

/** The fields that differ in a session that only saves a card. */
export const setup = { mode: "setup", amount: null, currency: null, payment_status: "none" } as const;

/** An open, unpaid session, with the given changes. */
export function sessionWith(changes: Partial<FrameSession["session"]> = {}): FrameSession["session"] {
  return {
    id: sessionId,
    livemode: false,
    mode: "payment",
    status: "open",
    payment_status: "unpaid",
    amount: 4900,
    currency: "eur",
    save_payment_method: false,
    submit_button: "built-in",
    merchant_name: "Fernweh",
    description: "Coffee",
    line_items: [],
    shipping_options: [],
    shipping_option: null,
    discounts: [],
    tax_amount: null,
    collect: { promotion_code: false },
    allowed_origins: ["https://shop.example"],
    return_url: "https://shop.example/done",
    cancel_url: "https://shop.example/cart",
    expires_at: 2_000_000_000,
    attempts_left: 5,
    payment_round: 0,
    version: 1,
    ...changes,
  };
}

export async function createFakeService(): Promise<FakeService> {
  const { publicKey } = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", publicKey);
  let nonces = 0;
  const encryption = (): CardEncryption => ({
    key: { kty: "EC", crv: "P-256", x, y, kid: "vault-1" },
    nonce: `nonce-${++nonces}`,
  });
  const queued = new Map<string, (CallResult | Promise<CallResult>)[]>();
  const requests: CallOptions[] = [];
  const name = ({ method, path }: CallOptions) => `${method} ${path}`;

  const service: FakeService = {
    aheadMs: 0,
    requests,
    paths: () => requests.map(name),
    call: async (options) => {
      requests.push(options);
      const results = queued.get(name(options));
      const result = await (results && results.length > 1 ? results.shift() : results?.[0]);
      if (!result) throw new Error(`The test queued no response to ${name(options)}`);
      if (result.kind === "refused" && result.code === "card_message_stale")
        return { ...result, encryption: encryption() };
      return result;
    },
    async send(path, { method, body }) {
      const sent = typeof body === "string" ? { body: JSON.parse(body) as object } : {};
      const options = { method: method === "POST" ? "POST" : "GET", path, ...sent } as const;
      return replyOf(await service.call(options));
    },
    on(request, ...results) {
      queued.set(request, results);
    },
    session(changes = {}, payment = null, received = null) {
      const body: FrameSession = {
        token: "token-1",
        session: sessionWith(changes),
        encryption: encryption(),
        received,
        payment,
        get now() {
          return Date.now() - service.aheadMs;
        },
      };
      return { kind: "answer", body };
    },
    payment(payment, changes = {}) {
      const body: FrameResponse = {
        payment,
        session: { status: "open", attempts_left: 5, ...changes },
        encryption: encryption(),
      };
      return { kind: "answer", body };
    },
  };
  return service;
}

/** The reply that `frameCallBy` turns into this result. */
function replyOf(result: CallResult): Reply | null {
  if (result.kind === "unreachable") return null;
  if (result.kind === "answer") return { ok: true, status: 200, body: result.body };
  const { status, code, param, encryption } = result;
  return { ok: false, status, body: { error: { code, param }, encryption } };
}

export function refused(code: string, status = 400): CallResult {
  return { kind: "refused", status, code, encryption: null };
}
export const unreachable: CallResult = { kind: "unreachable" };
