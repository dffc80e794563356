/**
 * A bank behind the HTTP interface of `@oriel/protocol/acquirer`.
 *
 * Trusts what the bank says under its own address; follows no redirect, waits no longer than its time-outs and reads no
 * more than its bound. A request that the bank refuses as a message (400, 404, 409, 422) has not been decided by this
 * call, yet an earlier one may have arrived under the same reference. So its books are asked: what stands there is the
 * answer. If the bank has never heard of the reference, no money can move and the answer is a decline; but a 409 says
 * that the reference is used, and then the two contradict each other and the outcome is unknown.
 *
 * A bank is silent when it cannot be reached, doesn't answer in time, or a machine in front of it says 502, 503 or 504.
 * Any other answer is one, even if it cannot be read: its cause may be what we sent, and parts of that came from the
 * customer.
 */
import { messageVersions, type PReq } from "@oriel/protocol/threeds";
import { BankUnreachableError, BankUnreadableError, type Bank, type BankAnswer, type BankOperation } from "./bank.ts";
import { isRefusal, readBankAnswer } from "./bank-answers.ts";
import type { Mode } from "./mode.ts";
import { readARes, readCardRanges, readErro } from "./threeds-answers.ts";

export interface HttpBankOptions<M extends Mode> {
  mode: M;
  /** Where the bank's API is, without a trailing slash. */
  url: string;
  /** The key the bank gave us. */
  apiKey: string;
  /** For each request that moves money. */
  moneyTimeoutMs?: number;
  /** For lookups and for 3-D Secure. EMV 3DS practice for the AReq: ten seconds. */
  questionTimeoutMs?: number;
  /** For a result that did not arrive. Short, because a customer may be waiting and it can be asked for again. */
  resultTimeoutMs?: number;
}

/** Each kind's books, by the name they have in the bank's addresses, and how its requests are called in our errors. */
const books: Record<BankOperation, { path: string; what: string }> = {
  authorize: { path: "/acquirer/authorizations", what: "an authorisation" },
  capture: { path: "/acquirer/captures", what: "a capture" },
  cancel: { path: "/acquirer/cancels", what: "a cancellation" },
  refund: { path: "/acquirer/refunds", what: "a refund" },
};

export function createHttpBank<M extends Mode>(options: HttpBankOptions<M>): Bank<M> {
  const { moneyTimeoutMs = 20_000, questionTimeoutMs = 10_000, resultTimeoutMs = 3_000 } = options;

  return {
    mode: options.mode,

    async cardRanges() {
      // A directory server that does not know the newest version says so, and is asked in the one before.
      for (const messageVersion of messageVersions.toReversed()) {
        const request: PReq = { messageType: "PReq", messageVersion };
        const { body } = await call("a request for card ranges", "/directory-server", questionTimeoutMs, request);
        const ranges = readCardRanges(body);
        if (ranges !== null) return ranges;
        if (readErro(body)?.errorCode !== versionUnknown) break;
      }
      throw new BankUnreadableError("to a request for card ranges", "not a PRes");
    },

    async authenticate(request) {
      const answer = await call("an authentication request", "/directory-server", questionTimeoutMs, request);
      const message = readARes(answer.body, request) ?? readErro(answer.body);
      if (message === null) throw new BankUnreadableError("to an authentication request", "neither ARes nor Erro");
      return message;
    },

    async result(threeDSServerTransID) {
      const question = "a request for a result";
      const path = `/directory-server/results/${encodeURIComponent(threeDSServerTransID)}`;
      const { status, body } = await call(question, path, resultTimeoutMs);
      if (status === 200) return body;
      if (status === 404) return null; // no result yet, or no such question at this bank
      throw new BankUnreadableError(`to ${question}`, `HTTP ${status}`);
    },

    authorize: (request) => move("authorize", request),
    capture: (request) => move("capture", request),
    cancel: (request) => move("cancel", request),
    refund: (request) => move("refund", request),
    lookup,
  };

  async function move(kind: BankOperation, request: { reference: string }): Promise<BankAnswer> {
    const { path, what } = books[kind];
    const answer = await call(what, path, moneyTimeoutMs, request);
    if (answer.status === 200) return readBankAnswer(answer.body, request.reference);
    if (![400, 404, 409, 422].includes(answer.status))
      throw new BankUnreadableError(`to ${what}`, `HTTP ${answer.status}`);
    const known = await lookup(kind, request.reference);
    if (known !== null) return known;
    if (answer.status === 409)
      throw new BankUnreadableError(`to ${what}`, "HTTP 409 for a reference that it doesn't know");
    return { status: "declined", declineCode: "processing_error" };
  }

  async function lookup(kind: BankOperation, reference: string): Promise<BankAnswer | null> {
    const { path, what } = books[kind];
    const question = `a lookup of ${what}`;
    const answer = await call(question, `${path}/${encodeURIComponent(reference)}`, questionTimeoutMs);
    if (answer.status === 200) return readBankAnswer(answer.body, reference);
    // A page that says 404 is some machine's on the way, which knows nothing of the bank's books.
    if (answer.status === 404 && isRefusal(answer.body)) return null;
    throw new BankUnreadableError(`to ${question}`, `HTTP ${answer.status}`);
  }

  /**
   * @throws BankUnreachableError for silence, BankUnreadableError for an answer that isn't HTTP, is too large,
   *   redirects, or is another 5xx
   */
  async function call(
    what: string,
    path: string,
    timeoutMs: number,
    body?: unknown,
  ): Promise<{ status: number; body: unknown }> {
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
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      });
      status = response.status;
      text = await readBounded(response);
    } catch (error) {
      const { name: reason, cause } = error as Error; // fetch and the body's stream throw nothing else
      throw error instanceof RangeError || isAboutAnswer(cause)
        ? new BankUnreadableError(`to ${what}`, reason)
        : new BankUnreachableError(what, reason);
    }
    if (status >= 502 && status <= 504) throw new BankUnreachableError(what, `HTTP ${status}`);
    if (status >= 500 || (status >= 300 && status < 400)) throw new BankUnreadableError(`to ${what}`, `HTTP ${status}`);
    return { status, body: parse(text) };
  }
}

/** Erro: message version number not supported (Table A.4). */
const versionUnknown = "102";

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
  return Buffer.concat(chunks).toString();
}

/**
 * An answer came, but the HTTP parser, zlib (`Z_…`) or the limit on headers refused it. Anything else is a broken or
 * slow connection.
 */
function isAboutAnswer(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const { name, code } = cause as NodeJS.ErrnoException; // Node's errors only add a code
  return name === "HTTPParserError" || code === "UND_ERR_HEADERS_OVERFLOW" || code?.startsWith("Z_") === true;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
