/**
 * An acquirer with the HTTP interface of `@oriel/protocol/acquirer`. Redirects aren't followed, and time and size are
 * limited.
 *
 * If the acquirer rejects a request as invalid (400, 404, 409, 422), this call decided nothing, but an earlier one with
 * the same reference may have succeeded. So the reference is looked up, and its record is the result. If there's no
 * record, no money can move and the result is a decline. The exception is 409: it says that the reference is used,
 * which contradicts the lookup, so the outcome is unknown.
 *
 * The acquirer counts as silent if it can't be reached, doesn't respond in time, or a proxy returns 502, 503 or 504.
 * Any other response is unreadable instead, because what we sent may have caused it, and parts of that came from the
 * customer.
 */
import { Agent, request as requestHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { messageVersions, type PReq } from "@oriel/protocol/threeds";
import { BankUnreachableError, BankUnreadableError, type Bank, type BankAnswer, type BankOperation } from "./bank.ts";
import { isRefusal, readBankAnswer } from "./bank-responses.ts";
import type { Mode } from "./mode.ts";
import { readARes, readCardRanges, readErro } from "./threeds-responses.ts";

export interface HttpBankOptions<M extends Mode> {
  mode: M;
  /** The URL of the acquirer's API, without a trailing slash. */
  url: string;
  /** The API key that the acquirer gave us. */
  apiKey: string;
  /** Timeout for requests that move money. */
  moneyTimeoutMs?: number;
  /** Timeout for lookups and 3-D Secure. Ten seconds is EMV 3DS practice for the AReq. */
  questionTimeoutMs?: number;
  /**
   * Timeout for a result that didn't arrive. It's short, because a customer may be waiting and it can be requested
   * again.
   */
  resultTimeoutMs?: number;
  /** Called with each HTTP request, to measure it. It must run the request and pass on its result. */
  observe?<T>(request: BankRequest, run: () => Promise<T>): Promise<T>;
}

/** The kinds of HTTP requests to the acquirer and its directory server. */
export type BankRequest = BankOperation | "lookup" | "card_ranges" | "authenticate" | "result";

/** The acquirer's path for each operation, and its name in our errors. */
const resources: Record<BankOperation, { path: string; what: string }> = {
  authorize: { path: "/acquirer/authorizations", what: "an authorization" },
  capture: { path: "/acquirer/captures", what: "a capture" },
  cancel: { path: "/acquirer/cancels", what: "a cancellation" },
  refund: { path: "/acquirer/refunds", what: "a refund" },
};

export function createHttpBank<M extends Mode>(options: HttpBankOptions<M>): Bank<M> {
  const { moneyTimeoutMs = 20_000, questionTimeoutMs = 10_000, resultTimeoutMs = 3_000 } = options;
  const observe = options.observe ?? ((_request, run) => run());
  const isTls = options.url.startsWith("https:");
  const agent = new (isTls ? HttpsAgent : Agent)({ keepAlive: true, timeout: idleMs });
  const openRequest = isTls ? requestHttps : requestHttp;

  return {
    mode: options.mode,

    async cardRanges() {
      // If the directory server reports that it doesn't support the newest version, the previous one is used.
      for (const messageVersion of messageVersions.toReversed()) {
        const request: PReq = { messageType: "PReq", messageVersion };
        const { body } = await observe("card_ranges", () =>
          call("a request for card ranges", "/directory-server", questionTimeoutMs, request),
        );
        const ranges = readCardRanges(body);
        if (ranges !== null) return ranges;
        if (readErro(body)?.errorCode !== versionNotSupported) break;
      }
      throw new BankUnreadableError("to a request for card ranges", "it isn't a PRes");
    },

    async authenticate(request) {
      const answer = await observe("authenticate", () =>
        call("an authentication request", "/directory-server", questionTimeoutMs, request),
      );
      const message = readARes(answer.body, request) ?? readErro(answer.body);
      if (message === null)
        throw new BankUnreadableError("to an authentication request", "it's neither an ARes nor an Erro");
      return message;
    },

    async result(threeDSServerTransID) {
      const question = "a request for a 3-D Secure result";
      const path = `/directory-server/results/${encodeURIComponent(threeDSServerTransID)}`;
      const { status, body } = await observe("result", () => call(question, path, resultTimeoutMs));
      if (status === 200) return body;
      if (status === 404) return null; // no result yet, or not supported
      throw new BankUnreadableError(`to ${question}`, `HTTP ${status}`);
    },

    authorize: (request) => move("authorize", request),
    capture: (request) => move("capture", request),
    cancel: (request) => move("cancel", request),
    refund: (request) => move("refund", request),
    lookup,
  };

  async function move(kind: BankOperation, request: { reference: string }): Promise<BankAnswer> {
    const { path, what } = resources[kind];
    const question = `${what} request`;
    const answer = await observe(kind, () => call(question, path, moneyTimeoutMs, request));
    if (answer.status === 200) return readBankAnswer(answer.body, request.reference);
    if (![400, 404, 409, 422].includes(answer.status))
      throw new BankUnreadableError(`to ${question}`, `HTTP ${answer.status}`);
    const known = await lookup(kind, request.reference);
    if (known !== null) return known;
    if (answer.status === 409)
      throw new BankUnreadableError(`to ${question}`, "HTTP 409, although the acquirer has no record of the reference");
    return { status: "declined", declineCode: "processing_error" };
  }

  async function lookup(kind: BankOperation, reference: string): Promise<BankAnswer | null> {
    const { path, what } = resources[kind];
    const question = `a lookup of ${what}`;
    const url = `${path}/${encodeURIComponent(reference)}`;
    const answer = await observe("lookup", () => call(question, url, questionTimeoutMs));
    if (answer.status === 200) return readBankAnswer(answer.body, reference);
    // Only the acquirer's own 404 counts. A proxy's 404 says nothing about the reference.
    if (answer.status === 404 && isRefusal(answer.body)) return null;
    throw new BankUnreadableError(`to ${question}`, `HTTP ${answer.status}`);
  }

  /**
   * @throws BankUnreachableError for silence, and BankUnreadableError for a response that isn't HTTP, is too large,
   *   redirects or is another 5xx
   */
  async function call(
    what: string,
    path: string,
    timeoutMs: number,
    body?: unknown,
  ): Promise<{ status: number; body: unknown }> {
    const { status, text } = await send(path, AbortSignal.timeout(timeoutMs), body).catch((error: unknown) => {
      const reason = reasonOf(error);
      throw isInvalidResponse(error, reason)
        ? new BankUnreadableError(`to ${what}`, reason)
        : new BankUnreachableError(what, reason);
    });
    if (status >= 502 && status <= 504) throw new BankUnreachableError(what, `HTTP ${status}`);
    if (status >= 500 || (status >= 300 && status < 400)) throw new BankUnreadableError(`to ${what}`, `HTTP ${status}`);
    return { status, body: parse(text) };
  }

  async function send(path: string, signal: AbortSignal, body: unknown) {
    const content = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const request = openRequest(`${options.url}${path}`, {
      agent,
      signal,
      method: content === null ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${options.apiKey}`,
        ...(content === null ? {} : { "content-type": "application/json", "content-length": content.byteLength }),
      },
    });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request.on("response", resolve).on("error", (error) => reject(asTimeout(error, signal)));
    request.end(content ?? undefined);
    const response = await promise;
    const text = await readBounded(response).catch((error: unknown) => {
      throw asTimeout(error, signal);
    });
    return { status: response.statusCode ?? 0, text };
  }
}

/** The response was refused: it's too large or compressed, which we didn't ask for. */
class RefusedResponse extends Error {
  override readonly name = "RefusedResponse";
}

/** An aborted request fails with an AbortError, whose reason says that it took too long. */
function asTimeout(error: unknown, { aborted, reason }: AbortSignal): unknown {
  return aborted ? reason : error;
}

/**
 * How long an idle connection is kept for the next request. Servers keep theirs for longer. If one closed a connection
 * just as we use it again, nobody would know whether it received the request.
 */
const idleMs = 1_000;

/** Erro code "message version number not supported" (Table A.4). */
const versionNotSupported = "102";

/** Maximum size of a response. The largest table has 200,000 card ranges and about half this size. */
const maxResponseBytes = 64 * 1024 * 1024;

async function readBounded(response: IncomingMessage): Promise<string> {
  if ((response.headers["content-encoding"] ?? "identity") !== "identity") {
    response.destroy();
    throw new RefusedResponse("The response is compressed");
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) throw new RefusedResponse("The response is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Node's name for the error, such as `ECONNREFUSED` or `HPE_INVALID_CONSTANT`. */
function reasonOf(error: unknown): string {
  const { name, code } = error as NodeJS.ErrnoException; // node:http and streams throw only Errors
  return typeof code === "string" ? code : name;
}

/**
 * Whether a response arrived that we or the HTTP parser (`HPE_...`) rejected. All other errors mean a broken or slow
 * connection.
 */
function isInvalidResponse(error: unknown, reason: string): boolean {
  return error instanceof RefusedResponse || reason.startsWith("HPE_");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
