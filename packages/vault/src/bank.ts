/**
 * The bank, as the vault sees it: an interface that any acquirer can stand behind, and the one that speaks to the sandbox's published
 * HTTP interface (`@oriel/protocol/acquirer`). An acquirer's answer is an answer only when it was read whole; anything else is "unknown",
 * and the caller must ask again by reference instead of guessing.
 */
import type { Authorization, AuthorizationRequest } from "@oriel/protocol/acquirer";
import { messageVersion, type AReq, type ARes, type CardRange, type Erro, type PRes } from "@oriel/protocol/threeds";

export interface Bank {
  /** Card ranges that take part in 3-D Secure. */
  cardRanges(): Promise<CardRange[]>;
  authenticate(request: AReq): Promise<ARes | Erro>;
  /** Idempotent by `reference`. @throws BankUnreachableError when the outcome is not known. */
  authorize(request: AuthorizationRequest): Promise<Authorization>;
  /** What became of a reference; null when the bank has never heard of it. */
  lookup(reference: string): Promise<Authorization | null>;
}

/** No answer that can be used came back. Whether the bank did anything is not known. Carries nothing that was sent. */
export class BankUnreachableError extends Error {
  override readonly name = "BankUnreachableError";
  constructor(what: string, reason: string) {
    super(`The bank did not answer ${what}: ${reason}`);
  }
}

export interface HttpBankOptions {
  /** Where the bank's API is, without a trailing slash. */
  url: string;
  /** The key the bank gave us. */
  apiKey: string;
  authorizeTimeoutMs?: number;
  /** EMV 3DS practice for the AReq: ten seconds. */
  authenticateTimeoutMs?: number;
}

/** A bank behind the HTTP interface of `@oriel/protocol/acquirer`. */
export function createHttpBank(options: HttpBankOptions): Bank {
  const { authorizeTimeoutMs = 20_000, authenticateTimeoutMs = 10_000 } = options;

  async function call(what: string, path: string, timeoutMs: number, body?: unknown): Promise<{ status: number; body: unknown }> {
    try {
      const response = await fetch(`${options.url}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          authorization: `Bearer ${options.apiKey}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: response.status, body: await response.json() };
    } catch (error) {
      throw new BankUnreachableError(what, error instanceof Error ? error.name : "unknown error");
    }
  }

  async function lookup(reference: string): Promise<Authorization | null> {
    const answer = await call("a lookup", `/acquirer/authorizations/${encodeURIComponent(reference)}`, authenticateTimeoutMs);
    if (answer.status === 404) return null;
    if (answer.status !== 200) throw new BankUnreachableError("a lookup", `HTTP ${answer.status}`);
    return readAuthorization(answer.body, reference);
  }

  return {
    lookup,

    async cardRanges() {
      const answer = await call("for card ranges", "/directory-server", authenticateTimeoutMs, {
        messageType: "PReq",
        messageVersion,
      });
      const message = answer.body as Partial<PRes> | null; // checked on the next line
      if (message?.messageType !== "PRes" || !Array.isArray(message.cardRangeData))
        throw new BankUnreachableError("for card ranges", "not a PRes");
      return message.cardRangeData;
    },

    async authenticate(request) {
      const answer = await call("an authentication request", "/directory-server", authenticateTimeoutMs, request);
      const message = answer.body as ARes | Erro | null; // checked on the next line; the service reads the rest field by field
      if (message?.messageType !== "ARes" && message?.messageType !== "Erro") {
        throw new BankUnreachableError("an authentication request", "neither ARes nor Erro");
      }
      return message;
    },

    async authorize(request) {
      const answer = await call("an authorisation", "/acquirer/authorizations", authorizeTimeoutMs, request);
      if (answer.status === 200) return readAuthorization(answer.body, request.reference);
      // The reference is in the bank's books with other particulars: an earlier try of ours arrived. What it says there is the outcome.
      const known = answer.status === 409 ? await lookup(request.reference) : null;
      if (known === null) throw new BankUnreachableError("an authorisation", `HTTP ${answer.status}`);
      return known;
    },
  };
}

function readAuthorization(body: unknown, reference: string): Authorization {
  const answer = body as Partial<Authorization> | null; // checked on the next line
  if (answer?.reference !== reference || (answer.status !== "approved" && answer.status !== "declined")) {
    throw new BankUnreachableError("an authorisation", "not an authorisation of this reference");
  }
  return answer as Authorization;
}
