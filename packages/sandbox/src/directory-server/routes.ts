/**
 * The directory server: one URL for PReq and AReq. As the specification says, an invalid message gets an Erro with
 * status 200. Only requests with a wrong key or too large a body get an HTTP error. It stores last four digits, never a
 * card number.
 *
 * `GET /directory-server/results/:threeDSServerTransID` returns a result to a 3DS server that missed it. It isn't part
 * of EMV 3-D Secure, but hosted 3DS servers have a similar request.
 *
 * `GET /directory-server/authentications` isn't part of 3-D Secure either. It shows tests what really happened, like
 * the acquirer's ledger.
 */
import { randomUUID } from "node:crypto";
import type { FastifyError, FastifyInstance } from "fastify";
import type { ARes, Erro } from "@oriel/protocol/threeds";
import type { Authentications } from "../acs/authentications.ts";
import type { Challenges, Purchase } from "../acs/challenges.ts";
import type { Decoupled } from "../acs/decoupled.ts";
import type { Transaction } from "../acs/result.ts";
import type { Results } from "../acs/results.ts";
import type { BankSecret } from "../bank-secret.ts";
import { requireBearer } from "../bearer.ts";
import { cardRanges } from "../card-ranges.ts";
import type { Clock } from "../clock.ts";
import { UnreadableRequest } from "../read-strictly.ts";
import { erro } from "./erro.ts";
import { readMessage, type ReadAReq } from "./read-message.ts";
import { respondToAReq, proofOf, type Ids } from "./respond-to-areq.ts";

export interface DirectoryServer {
  /** Public origin of the ACS's pages. */
  origin: string;
  secret: BankSecret;
  authentications: Authentications;
  results: Results;
  challenges: Challenges;
  decoupled: Decoupled;
  clock: Clock;
}

export function directoryServerRoutes(app: FastifyInstance, bank: DirectoryServer & { apiKey: string }): void {
  app.addHook("onRequest", requireBearer(bank.apiKey));
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const isNoJson = error.code === "FST_ERR_CTP_INVALID_JSON_BODY" || error.code === "FST_ERR_CTP_EMPTY_JSON_BODY";
    const isUnreadable = isNoJson || (error instanceof UnreadableRequest && error.part === "body");
    if (!isUnreadable) throw error;
    return reply.code(200).send(erro({ code: "101", detail: "The body isn't JSON." }));
  });

  app.post("/directory-server", async (request) => {
    const message = readMessage(request.body);
    switch (message.messageType) {
      case "Erro":
        return message;
      case "PReq": {
        const { messageVersion } = message;
        return { messageType: "PRes", messageVersion, cardRangeData: cardRanges(messageVersion, bank.origin) };
      }
      case "AReq":
        return authenticate(message, bank);
    }
  });

  app.get<{ Params: { id: string } }>("/directory-server/results/:id", async ({ params }, reply) => {
    const result = bank.results.of(params.id);
    return result ?? reply.code(404).send({ error: { message: "There's no result for this transaction." } });
  });

  app.get("/directory-server/authentications", async () => ({ authentications: bank.authentications.all() }));
}

/** The issuer's decision, immediate or after a challenge. */
export function authenticate(areq: ReadAReq, bank: DirectoryServer): ARes | Erro {
  const { threeDSServerTransID, messageVersion, acctNumber } = areq;
  if (bank.authentications.has(threeDSServerTransID)) {
    bank.authentications.count(threeDSServerTransID, "AReq");
    const detail = "threeDSServerTransID: already used. Send one AReq per authentication.";
    return erro({ code: "305", detail, version: messageVersion, about: "AReq", threeDSServerTransID });
  }
  const ids: Ids = { threeDSServerTransID, acsTransID: randomUUID(), dsTransID: randomUUID() };
  const { response, challenge } = respondToAReq(areq, ids, bank);
  const { messageCategory, threeDSServerURL } = areq;
  const transaction: Transaction = { ids, messageVersion, messageCategory, threeDSServerURL };
  // Created now, so that the card number doesn't have to be stored.
  const proofs = {
    Y: proofOf("Y", acctNumber, ids.dsTransID, "challenge", bank.secret),
    A: proofOf("A", acctNumber, ids.dsTransID, "challenge", bank.secret),
  };
  const purchase = given(areq, purchaseFields);
  const last4 = acctNumber.slice(-4);

  bank.authentications.open({
    ...ids,
    messageVersion,
    card: { last4 },
    cardholder: given(areq, ["cardholderName", "email", "billAddrPostCode", "billAddrCountry"]),
    threeDSCompInd: areq.threeDSCompInd,
    requested: {
      threeDSRequestorChallengeInd: areq.threeDSRequestorChallengeInd,
      threeDSRequestorDecReqInd: areq.threeDSRequestorDecReqInd,
      ...given(areq, ["threeDSMethodId"]),
    },
    transStatus: response.messageType === "ARes" ? response.transStatus : null,
    errorCode: response.messageType === "Erro" ? response.errorCode : null,
    created: Math.floor(bank.clock.now() / 1000),
  });
  if (challenge !== undefined) {
    bank.challenges.open({
      transaction,
      plan: challenge,
      purchase,
      last4,
      notificationURL: areq.notificationURL,
      proofs,
    });
  }
  if (response.messageType === "ARes" && response.transStatus === "D") bank.decoupled.open(transaction, proofs.Y);
  return response;
}

const purchaseFields = [
  "messageCategory",
  "merchantName",
  "purchaseAmount",
  "purchaseCurrency",
  "purchaseExponent",
] as const satisfies (keyof Purchase)[];

/** Picks the given fields, if they're present. */
function given<Name extends keyof ReadAReq>(areq: ReadAReq, names: readonly Name[]): Pick<ReadAReq, Name> {
  const there = names.filter((name) => areq[name] !== undefined);
  // All fields are optional, so some may be missing.
  return Object.fromEntries(there.map((name) => [name, areq[name]])) as Pick<ReadAReq, Name>;
}
