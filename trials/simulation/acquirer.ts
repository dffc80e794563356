/**
 * The acquirer of one world: the sandbox bank's Adyen ledger, reached without a network. Requests and replies can be
 * lost, requests can arrive late, and other things can happen before a reply arrives.
 */
import { randomUUID } from "node:crypto";
import type { RReq } from "@oriel/protocol/threeds";
import { rreqOf } from "../../packages/sandbox/src/acs/result.ts";
import {
  isAuthentication,
  type AuthenticationRequest,
  type DetailsRequest,
} from "../../packages/sandbox/src/adyen/authentication-messages.ts";
import { AdyenAuthentications } from "../../packages/sandbox/src/adyen/authentications.ts";
import { createFingerprint, defaultKeyLifetimeMs } from "../../packages/sandbox/src/adyen/idempotency.ts";
import { AdyenLedger } from "../../packages/sandbox/src/adyen/ledger.ts";
import type {
  AmountRequest,
  CancelRequest,
  NotificationRequestItem,
  PaymentRequest,
  TechnicalCancelRequest,
} from "../../packages/sandbox/src/adyen/messages.ts";
import { createIssuer } from "../../packages/sandbox/src/adyen/refusals.ts";
import { createBankSecret } from "../../packages/sandbox/src/bank-secret.ts";
import { respondToAReq, proofOf } from "../../packages/sandbox/src/directory-server/respond-to-areq.ts";
import { NoReplyError, InvalidReplyError } from "../../packages/vault/src/connectors/errors.ts";
import type { Call, Reply, SendCall } from "../../packages/vault/src/connectors/http.ts";
import type { Chance } from "../chance.ts";
import type { Sent } from "../reconcile.ts";
import type { Conditions } from "./conditions.ts";
import type { Journal } from "./journal.ts";
import type { Processes } from "./processes.ts";
import type { Schedule } from "./schedule.ts";
import { merchantAccount } from "./shop.ts";

export interface AcquirerParts {
  schedule: Schedule;
  journal: Journal;
  processes: Processes;
  chance: Chance;
  conditions: Conditions;
  multiplePartialCaptures: boolean;
  /** How long the acquirer remembers a key. Default: Adyen's. */
  keyLifetimeMs?: number | undefined;
  /** Called while a request is being processed, so that other things can happen meanwhile. */
  meanwhile: () => Promise<void>;
}

const letters = "A B C D E F G H J K L M N P".split(" ");
const secret = createBankSecret(Buffer.alloc(32, 7));

export class SimulatedAcquirer {
  readonly ledger: AdyenLedger;
  readonly #parts: AcquirerParts;
  readonly #chance: Chance;
  readonly #authentications: AdyenAuthentications;
  /** Our references of all payments that it has received. */
  readonly references = new Set<string>();
  /** What the service has sent, by our reference, oldest first. */
  readonly sent = new Map<string, Sent[]>();
  /** The results of challenges that are passed, by the transaction's ID. */
  readonly #challenges = new Map<string, RReq>();
  readonly #passed = new Set<string>();

  constructor(parts: AcquirerParts) {
    const { schedule, multiplePartialCaptures, keyLifetimeMs = defaultKeyLifetimeMs } = parts;
    this.#parts = parts;
    this.#chance = parts.chance;
    const references = parts.chance.stream("references");
    let made = 0;
    // The number makes it unique. The letters look like Adyen's.
    const newPspReference = () =>
      `P${String(++made).padStart(6, "0")}${Array.from({ length: 9 }, () => references.pick(letters)).join("")}`;
    this.ledger = new AdyenLedger({
      now: schedule.now,
      newPspReference,
      merchantAccount,
      multiplePartialCaptures,
      issuer: createIssuer(secret),
      fingerprint,
      keyLifetimeMs,
      // The outcome of a modification takes up to hours. A notification can arrive before the reply.
      delays: {
        outcomeMs: parts.chance.pick([0, 500, 1_000, 60_000, 4 * 3_600_000]),
        notificationMs: parts.chance.pick([0, 400]),
      },
    });
    this.#authentications = new AdyenAuthentications({
      origin: "http://bank.localhost",
      authenticate: (areq) => {
        const { threeDSServerTransID, acctNumber, messageVersion, messageCategory } = areq;
        const ids = { threeDSServerTransID, acsTransID: randomUUID(), dsTransID: randomUUID() };
        const transaction = { ids, messageVersion, messageCategory, threeDSServerURL: "" };
        const proof = proofOf("Y", acctNumber, ids.dsTransID, "challenge", secret);
        this.#challenges.set(threeDSServerTransID, rreqOf(transaction, { transStatus: "Y", ...proof }, 1));
        return respondToAReq(areq, ids, { origin: "http://bank.localhost", secret }).response;
      },
      resultOf: (id) => (this.#passed.has(id) ? this.#challenges.get(id) : undefined),
      now: schedule.now,
      newPspReference,
    });
  }

  /** Sends a request of the connector. */
  send: SendCall = async (call) => {
    const { processes, journal, schedule, conditions, meanwhile } = this.#parts;
    await processes.point();
    schedule.advanceTo(schedule.nowMs + this.#chance.between(20, 400));
    const isSpared = conditions.sparesAuthentications && isForAuthentication(call);
    const fault = isSpared ? null : conditions.faultOf(schedule.nowMs, this.#chance);
    const sent: Sent = { atMs: schedule.nowMs, reply: null, process: processes.current() };
    this.sent.set(referenceOf(call), [...(this.sent.get(referenceOf(call)) ?? []), sent]);
    const what = `${call.path.replace(/P\d{6}\w{9}/, "…")} ${referenceOf(call)}`;
    if (fault === "late") {
      const delayMs = this.#chance.between(1_000, 240_000);
      schedule.plan(delayMs, "a late request", async () => void this.#receive(call, "arrived late"));
    }
    if (fault === "lost" || fault === "late") {
      journal.note(`acquirer: ${what} gets no reply (${fault})`);
      schedule.advanceTo(schedule.nowMs + 20_000);
      throw new NoReplyError(call.what, "ETIMEDOUT");
    }
    if (fault === "busy") {
      journal.note(`acquirer: ${what} gets a 500`);
      throw new InvalidReplyError(call.what, "HTTP 500");
    }
    if (fault === "throttled") {
      journal.note(`acquirer: ${what} gets a 429`);
      return { status: 429, body: undefined };
    }
    const reply = this.#receive(call, "arrived");
    await meanwhile();
    await processes.point();
    if (fault === "reply_lost") {
      journal.note(`acquirer: the reply to ${what} is lost`);
      schedule.advanceTo(schedule.nowMs + 20_000);
      throw new NoReplyError(call.what, "ECONNRESET");
    }
    sent.reply = reply;
    return reply;
  };

  /** The customer completes a challenge. */
  passChallenge(threeDSServerTransID: string): void {
    this.#passed.add(threeDSServerTransID);
  }

  /** The due notifications. */
  takeDue(): NotificationRequestItem[] {
    return this.ledger.takeDue(this.#parts.schedule.now()).map(({ item }) => item);
  }

  #receive(call: Call, how: string): Reply {
    const key = call.headers?.["idempotency-key"];
    const reply = structuredClone(this.#process(call, key));
    const { pspReference, resultCode, status, errorCode } = reply.body as Record<string, string | undefined>;
    const said = errorCode ?? resultCode ?? status;
    this.#parts.journal.note(
      `acquirer: ${call.path} ${referenceOf(call)} ${how}: ${reply.status} ${said} ${pspReference ?? ""}`,
    );
    return reply;
  }

  #process({ path, body }: Call, key: string | undefined): Reply {
    const { ledger } = this;
    const [, payment = "", operation = ""] = /^\/payments\/(\w+)\/(captures|refunds|cancels|reversals)$/.exec(path) ?? [
      path,
      "",
      path,
    ];
    switch (operation) {
      case "/payments":
        return this.#pay(body as PaymentRequest | AuthenticationRequest, key);
      case "/payments/details":
        return this.#continueAuthentication(body as DetailsRequest, key);
      case "/cancels":
        return ledger.technicalCancel(body as TechnicalCancelRequest, key);
      case "captures":
        return ledger.capture(payment, body as AmountRequest, key);
      case "refunds":
        return ledger.refund(payment, body as AmountRequest, key);
      case "reversals":
        return ledger.reverse(payment, body as CancelRequest, key);
      case "cancels":
        return ledger.cancel(payment, body as CancelRequest, key);
      default:
        throw new Error(`Bug: the simulated acquirer has no ${path}`);
    }
  }

  #pay(request: PaymentRequest | AuthenticationRequest, key: string | undefined): Reply {
    if (isAuthentication(request))
      return this.ledger.runOnce("authenticate", request, key, () => this.#authentications.begin(request));
    this.references.add(request.reference);
    return this.ledger.pay(request, key);
  }

  #continueAuthentication(details: DetailsRequest, key: string | undefined): Reply {
    const request = { merchantAccount, ...details };
    return this.ledger.runOnce("details", request, key, () => this.#authentications.continue(details));
  }
}

const fingerprint = createFingerprint(Buffer.alloc(32, 3));

function isForAuthentication({ path, body }: Call): boolean {
  return path === "/payments/details" || (path === "/payments" && isAuthentication(body as PaymentRequest));
}

function referenceOf({ body }: Call): string {
  const { reference } = body as { reference?: string };
  return reference ?? "";
}
