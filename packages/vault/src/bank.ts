/**
 * The bank, as the vault sees it: an interface that any acquirer can stand behind, and the one that speaks to the sandbox's published
 * HTTP interface (`@oriel/protocol/acquirer`). An acquirer's answer is an answer only when it was read whole; anything else is "unknown",
 * and the caller must ask again by reference instead of guessing.
 */
import type { AuthorizationRequest } from "@oriel/protocol/acquirer";
import { isDeclineCode, type DeclineCode } from "@oriel/protocol/errors";
import { messageVersion, type AReq, type ARes, type CardRange, type Erro, type TransStatus } from "@oriel/protocol/threeds";

/** What the bank said of an authorisation, as far as it was read. */
export type BankAnswer = { status: "approved" } | { status: "declined"; declineCode: DeclineCode };

export interface Bank {
  /** Card ranges that take part in 3-D Secure. @throws BankUnreachableError, BankUnreadableError */
  cardRanges(): Promise<CardRange[]>;
  /** @throws BankUnreachableError, BankUnreadableError */
  authenticate(request: AReq): Promise<ARes | Erro>;
  /** Idempotent by `reference`. @throws BankUnreachableError when the outcome is not known. */
  authorize(request: AuthorizationRequest): Promise<BankAnswer>;
  /** What became of a reference; null when the bank has never heard of it. */
  lookup(reference: string): Promise<BankAnswer | null>;
}

/** No answer came back. Whether the bank did anything is not known. Carries nothing that was sent. */
export class BankUnreachableError extends Error {
  override readonly name = "BankUnreachableError";
  constructor(what: string, reason: string) {
    super(`The bank did not answer ${what}: ${reason}`);
  }
}

/** The bank answered, but not with anything that can be read. Carries nothing that was sent. */
export class BankUnreadableError extends Error {
  override readonly name = "BankUnreadableError";
  constructor(what: string, reason: string) {
    super(`The bank's answer ${what} cannot be read: ${reason}`);
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

  /** @throws BankUnreachableError for silence and for 5xx, which is a bank's way of being silent */
  async function call(what: string, path: string, timeoutMs: number, body?: unknown): Promise<{ status: number; body: unknown }> {
    let status: number;
    let text: string;
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
      status = response.status;
      text = await readBounded(response);
    } catch (error) {
      throw new BankUnreachableError(what, error instanceof Error ? error.name : "unknown error");
    }
    if (status >= 500) throw new BankUnreachableError(what, `HTTP ${status}`);
    return { status, body: parse(text) };
  }

  async function lookup(reference: string): Promise<BankAnswer | null> {
    const answer = await call("a lookup", `/acquirer/authorizations/${encodeURIComponent(reference)}`, authenticateTimeoutMs);
    if (answer.status === 404) return null;
    if (answer.status !== 200) throw new BankUnreachableError("a lookup", `HTTP ${answer.status}`);
    return readAuthorization(answer.body, reference);
  }

  return {
    lookup,

    async cardRanges() {
      const request = { messageType: "PReq", messageVersion };
      const answer = await call("for card ranges", "/directory-server", authenticateTimeoutMs, request);
      const ranges = readCardRanges(answer.body);
      if (ranges === null) throw new BankUnreadableError("for card ranges", "not a PRes");
      return ranges;
    },

    async authenticate(request) {
      const answer = await call("an authentication request", "/directory-server", authenticateTimeoutMs, request);
      const message = readARes(answer.body, request.threeDSServerTransID) ?? readErro(answer.body);
      if (message === null) throw new BankUnreadableError("to an authentication request", "neither ARes nor Erro");
      return message;
    },

    async authorize(request) {
      const answer = await call("an authorisation", "/acquirer/authorizations", authorizeTimeoutMs, request);
      if (answer.status === 200) return readAuthorization(answer.body, request.reference);
      if (![400, 409, 422].includes(answer.status)) throw new BankUnreachableError("an authorisation", `HTTP ${answer.status}`);
      // Refused as a message: perhaps an earlier try of ours arrived under this reference. Its books say what is the case; if they have never
      // heard of it, no money can move.
      return (await lookup(request.reference)) ?? { status: "declined", declineCode: "processing_error" };
    },
  };
}

/** What a bank may answer at most. A table of 200,000 card ranges, the most there is, has about half of it. */
const maxAnswerBytes = 64 * 1024 * 1024;

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) throw new RangeError("The answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function readAuthorization(body: unknown, reference: string): BankAnswer {
  const { reference: answered, status, decline_code: declineCode } = fieldsOf(body);
  if (answered === reference && status === "approved") return { status };
  if (answered === reference && status === "declined") {
    return { status, declineCode: isDeclineCode(declineCode) ? declineCode : "generic_decline" };
  }
  throw new BankUnreadableError("to an authorisation", "not an authorisation of this reference");
}

/** Ranges that cannot be read are left out: one of them must not hide all the others. */
function readCardRanges(body: unknown): CardRange[] | null {
  const { messageType, cardRangeData } = fieldsOf(body);
  if (messageType !== "PRes" || !Array.isArray(cardRangeData)) return null;
  const isRange = (range: unknown): range is CardRange => {
    const { startRange, endRange, acsEndProtocolVersion, threeDSMethodURL } = fieldsOf(range);
    const isMethod = threeDSMethodURL === undefined || isText(threeDSMethodURL, 2048);
    return isDigits(startRange) && isDigits(endRange) && isText(acsEndProtocolVersion, 10) && isMethod;
  };
  return cardRangeData.filter(isRange);
}

const transStatuses = ["Y", "A", "N", "U", "R", "C"] as const satisfies readonly TransStatus[];

/** The fields that are used, each within its bounds; an optional one that is not counts as absent, so that it cannot turn a "no" into silence. */
function readARes(body: unknown, threeDSServerTransID: string): ARes | null {
  const message = fieldsOf(body);
  const transStatus = transStatuses.find((known) => known === message["transStatus"]);
  const { acsTransID, dsTransID } = message;
  if (message["messageType"] !== "ARes" || message["threeDSServerTransID"] !== threeDSServerTransID) return null;
  if (transStatus === undefined || !isText(acsTransID, 36) || !isText(dsTransID, 36)) return null;
  const answer: ARes = { messageType: "ARes", messageVersion, threeDSServerTransID, acsTransID, dsTransID, transStatus };
  const { transStatusReason, authenticationValue, eci, acsURL, cardholderInfo } = message;
  if (isText(transStatusReason, 2)) answer.transStatusReason = transStatusReason;
  if (isText(authenticationValue, 64)) answer.authenticationValue = authenticationValue;
  if (isText(eci, 2) && /^\d\d$/.test(eci)) answer.eci = eci;
  if (isText(acsURL, 2048)) answer.acsURL = acsURL;
  if (isText(cardholderInfo, 128)) answer.cardholderInfo = cardholderInfo;
  return answer;
}

function readErro(body: unknown): Erro | null {
  const { messageType, errorCode } = fieldsOf(body);
  return messageType === "Erro" && isText(errorCode, 3) ? (body as Erro) : null; // its code is all that is used
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}; // an object's fields, each still unknown
}

function isDigits(value: unknown): boolean {
  return typeof value === "string" && /^\d{12,19}$/.test(value);
}

function isText(value: unknown, most: number): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= most;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
