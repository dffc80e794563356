/**
 * The bank, as the vault sees it: an interface that any acquirer can stand behind, and the one that speaks to the sandbox's published
 * HTTP interface (`@oriel/protocol/acquirer`). An acquirer's answer is an answer only when it was read whole; anything else is "unknown",
 * and the caller must ask again by reference instead of guessing.
 */
import type { AuthorizationRequest } from "@oriel/protocol/acquirer";
import { isDeclineCode, type DeclineCode } from "@oriel/protocol/errors";
import { messageVersion, type AReq, type ARes, type CardRange, type Erro } from "@oriel/protocol/threeds";

/** What the bank said of an authorisation, as far as it was read. */
export type BankAnswer = { status: "approved" } | { status: "declined"; declineCode: DeclineCode };

export interface Bank {
  /** Card ranges that take part in 3-D Secure. */
  cardRanges(): Promise<CardRange[]>;
  authenticate(request: AReq): Promise<ARes | Erro>;
  /** Idempotent by `reference`. @throws BankUnreachableError when the outcome is not known. */
  authorize(request: AuthorizationRequest): Promise<BankAnswer>;
  /** What became of a reference; null when the bank has never heard of it. */
  lookup(reference: string): Promise<BankAnswer | null>;
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
      return { status: response.status, body: JSON.parse(await readBounded(response)) as unknown };
    } catch (error) {
      throw new BankUnreachableError(what, error instanceof Error ? error.name : "unknown error");
    }
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
      if (ranges === null) throw new BankUnreachableError("for card ranges", "not a PRes");
      return ranges;
    },

    async authenticate(request) {
      const answer = await call("an authentication request", "/directory-server", authenticateTimeoutMs, request);
      const message = readARes(answer.body, request.threeDSServerTransID) ?? readErro(answer.body);
      if (message === null) throw new BankUnreachableError("an authentication request", "neither ARes nor Erro");
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
  throw new BankUnreachableError("an authorisation", "not an authorisation of this reference");
}

function readCardRanges(body: unknown): CardRange[] | null {
  const { messageType, cardRangeData } = fieldsOf(body);
  if (messageType !== "PRes" || !Array.isArray(cardRangeData)) return null;
  const isRange = (range: unknown) => {
    const { startRange, endRange, acsEndProtocolVersion, threeDSMethodURL } = fieldsOf(range);
    return (
      isDigits(startRange) && isDigits(endRange) && isText(acsEndProtocolVersion, 10) && isTextOrAbsent(threeDSMethodURL, 2048)
    );
  };
  return cardRangeData.every(isRange) ? (cardRangeData as CardRange[]) : null; // every field that is used was just checked
}

const transStatuses: readonly unknown[] = ["Y", "A", "N", "U", "R", "C"];

function readARes(body: unknown, threeDSServerTransID: string): ARes | null {
  const message = fieldsOf(body);
  if (message["messageType"] !== "ARes" || message["threeDSServerTransID"] !== threeDSServerTransID) return null;
  if (!transStatuses.includes(message["transStatus"])) return null;
  if (!isText(message["acsTransID"], 36) || !isText(message["dsTransID"], 36)) return null;
  const { transStatusReason, authenticationValue, eci, acsURL, cardholderInfo } = message;
  const bounded = isTextOrAbsent(transStatusReason, 2) && isTextOrAbsent(authenticationValue, 4000) && isTextOrAbsent(eci, 2);
  return bounded && isTextOrAbsent(acsURL, 2048) && isTextOrAbsent(cardholderInfo, 128) ? (body as ARes) : null; // as above
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

function isText(value: unknown, most: number): boolean {
  return typeof value === "string" && value.length > 0 && value.length <= most;
}

function isTextOrAbsent(value: unknown, most: number): boolean {
  return value === undefined || isText(value, most);
}
