/**
 * The sandbox bank: the acquirer, the directory server and the ACS that challenges cardholders. It stands for another
 * company, with its own process and ledger, and Oriel reaches it only over HTTP. Its cards are in `cards.ts`. The
 * faults it can simulate (`POST /sandbox/faults`) are in `faults/`.
 *
 * The bank trusts the holder of its API key (the acquirer's client) and nobody else. Browsers can send anything to
 * `/acs`. The bank never logs requests, and reports bugs to `onBug`.
 */
import AjvCompiler from "@fastify/ajv-compiler";
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import { HttpListener } from "@oriel/http-listener";
import { Ledger } from "./acquirer/ledger.ts";
import { acquirerRoutes } from "./acquirer/routes.ts";
import { Authentications } from "./acs/authentications.ts";
import { Challenges } from "./acs/challenges.ts";
import { Decoupled } from "./acs/decoupled.ts";
import { rreqOf, type Report } from "./acs/result.ts";
import { Results } from "./acs/results.ts";
import { acsRoutes } from "./acs/routes.ts";
import { sendResult } from "./acs/send-result.ts";
import { adyenRoutes, type AdyenOptions } from "./adyen/adyen.ts";
import { adyenThreeDSServerURL } from "./adyen/authentication-request.ts";
import { createBankSecret } from "./bank-secret.ts";
import { systemClock, type Clock } from "./clock.ts";
import { openBankData, type BankData } from "./data-directory.ts";
import { directoryServerRoutes } from "./directory-server/routes.ts";
import { Faults } from "./faults/faults.ts";
import { faultRoutes } from "./faults/routes.ts";
import { readStrictly, UnreadableRequest } from "./read-strictly.ts";

export interface BankOptions {
  /** Public origin of the bank's pages, as browsers reach it. */
  origin: string;
  /** Key that the acquirer's client must present. */
  apiKey: string;
  /** Key that the directory server presents when it reports a result. */
  resultsKey: string;
  /** Directory of the ledger. If absent, the ledger is kept in memory. */
  dataDirectory?: string | undefined;
  clock?: Clock;
  /** From the ARes to the CReq. The specification gives the browser 30 seconds. */
  creqWithinMs?: number;
  /** From the CReq to the end of the challenge. */
  challengeWithinMs?: number;
  /** The same for an impatient card. Restarts with each submitted page. */
  idleWithinMs?: number | undefined;
  /** From the ARes to the automatic approval of a decoupled authentication. */
  decoupledAfterMs?: number | undefined;
  /** Timeout of one attempt to report a result. */
  resultTimeoutMs?: number;
  /** Delay before each further attempt. */
  resultRetryDelaysMs?: readonly number[];
  /** Delay of the `late` fault unless a rule sets one. */
  lateMs?: number;
  /** Random numbers from 0 (inclusive) to 1 (exclusive), for faults with a probability. */
  random?: () => number;
  /** Adds an Adyen simulator under `/adyen`. */
  adyen?: AdyenOptions;
  onBug?: (error: Error) => void;
}

/** Compiles each schema once for all banks of the process. Tests open hundreds. */
const buildValidator = AjvCompiler();

/** Opens the ledger and assembles the bank. The caller listens and closes. */
export async function createBank(options: BankOptions): Promise<FastifyInstance> {
  const {
    origin,
    apiKey,
    resultsKey,
    clock = systemClock,
    creqWithinMs = 30_000,
    challengeWithinMs = 600_000,
    idleWithinMs = 60_000,
    decoupledAfterMs: approveAfterMs = 8_000,
    resultTimeoutMs: timeoutMs = 5_000,
    resultRetryDelaysMs: retryDelaysMs = [500, 2_000],
    lateMs = 12_000,
    random = Math.random,
    adyen,
    onBug = () => {},
  } = options;
  const data = await openBankData(options.dataDirectory);
  const ledger = await readLedger(data);
  const secret = createBankSecret(data.secret);
  const authentications = new Authentications();
  const results = new Results();
  const faults = new Faults({ random, lateMs });
  const closing = new AbortController();
  const report: Report = async (transaction, result, tries) => {
    const rreq = rreqOf(transaction, result, tries);
    results.add(rreq);
    const id = rreq.threeDSServerTransID;
    const onTry = () => authentications.count(id, "RReq");
    const { threeDSServerURL } = transaction;
    const attempts = { resultsKey, timeoutMs, retryDelaysMs, clock, signal: closing.signal, onTry };
    const send = async () => {
      if (threeDSServerURL !== adyenThreeDSServerURL) return await sendResult(threeDSServerURL, rreq, attempts);
      onTry(); // the Adyen simulator has the result already, because it reads `results`
      return true;
    };
    const isDelivered = await send();
    if (isDelivered) authentications.count(id, "RRes");
    authentications.close(rreq, isDelivered);
    // The outcome of the second attempt is ignored.
    if (faults.strike({ kind: "result", reference: id, last4: null }) !== null) await send();
    return isDelivered;
  };
  const challenges = new Challenges({ clock, creqWithinMs, endWithinMs: challengeWithinMs, idleWithinMs, report });
  const decoupled = new Decoupled({ clock, approveAfterMs, report });

  const listener = new HttpListener();
  const app = Fastify({
    logger: false,
    bodyLimit: 65_536,
    serverFactory: (handle) => listener.createServer(handle),
    clientErrorHandler: (error, socket) => listener.hangUp(error, socket, unreadable),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    schemaController: { compilersFactory: { buildValidator } },
  });
  readStrictly(app);
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) onBug(error);
    return reply.code(status).send({ error: { message: sentenceFor(error, status) } });
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: { message: "There's nothing at this URL." } }),
  );
  app.addHook("onRequest", async (request, reply) => {
    if (!listener.isFull() || request.url === "/healthz") return;
    return reply
      .code(503)
      .header("retry-after", "1")
      .send({ error: { message: "The bank is overloaded. Try again shortly." } });
  });
  app.addHook("preClose", async () => {
    listener.drain();
    closing.abort();
    challenges.close();
    decoupled.close();
  });
  app.addHook("onClose", () => ledger.close());

  app.get("/healthz", async () => ({ status: "ok" }));
  await app.register(
    async (scope) => acquirerRoutes(scope, { apiKey, ledger, secret, clock, faults, closing: closing.signal }),
    {
      prefix: "/acquirer",
    },
  );
  await app.register(async (scope) => faultRoutes(scope, { apiKey, faults }), { prefix: "/sandbox" });
  const directoryServer = { origin, secret, authentications, results, challenges, decoupled, clock };
  await app.register(async (scope) => directoryServerRoutes(scope, { apiKey, ...directoryServer }));
  await app.register(
    async (scope) => acsRoutes(scope, { origin, authentications, challenges, decoupled, closing: closing.signal }),
    { prefix: "/acs" },
  );
  if (adyen !== undefined) {
    const dependencies = { secret, directoryServer, clock, faults, random, closing: closing.signal, onBug };
    await app.register((scope) => adyenRoutes(scope, adyen, dependencies), { prefix: "/adyen" });
  }
  return app;
}

/** @throws Error if a line is unreadable. The files are closed then, so that they can be repaired. */
async function readLedger({ journal, lines }: BankData): Promise<Ledger> {
  try {
    return new Ledger(journal, lines);
  } catch (error) {
    await journal.close();
    throw error;
  }
}

const unreadable = JSON.stringify({ error: { message: "The request can't be parsed." } });

/**
 * Fastify's messages may quote the request. Only our own messages, and validation messages, which just name fields, are
 * passed on.
 */
function sentenceFor(error: FastifyError, status: number): string {
  if (error.code === "FST_ERR_VALIDATION" || error instanceof UnreadableRequest) return error.message;
  if (status === 413) return "The body is too large.";
  if (status === 415) return "Send JSON, with content-type application/json.";
  return status < 500
    ? "The body isn't JSON."
    : "The bank encountered an internal error. Look up the reference to see its outcome.";
}
