/**
 * The directory server: one address for PReq and AReq. Whatever is wrong with a message is answered by an Erro with
 * status 200, as the specification has it; only a wrong key and a body that is too large are HTTP's to refuse. It keeps
 * last four digits, no card number.
 *
 * `GET /directory-server/results/:threeDSServerTransID` gives a result to a 3DS server that missed it. It is no part of
 * EMV 3-D Secure; hosted 3DS servers have such a request.
 *
 * `GET /directory-server/authentications` is no part of 3-D Secure: it shows a test what really happened, as the
 * acquirer's books do.
 */
import { randomUUID } from "node:crypto";
import type { ARes, Erro } from "@oriel/protocol/threeds";
import type { FastifyError, FastifyInstance } from "fastify";
import type { Authentications } from "../acs/authentications.ts";
import type { Challenges, Purchase } from "../acs/challenges.ts";
import type { Decoupled } from "../acs/decoupled.ts";
import type { Transaction } from "../acs/result.ts";
import type { Results } from "../acs/results.ts";
import type { BankSecret } from "../bank-secret.ts";
import { requireBearer } from "../bearer.ts";
import { UnreadableRequest } from "../read-strictly.ts";
import { cardRanges } from "../card-ranges.ts";
import type { Clock } from "../clock.ts";
import { answerAReq, proofOf, type Ids } from "./answer-areq.ts";
import { erro } from "./erro.ts";
import { readMessage, type ReadAReq } from "./read-message.ts";

interface DirectoryServer {
  apiKey: string;
  /** Public origin of the ACS's pages. */
  origin: string;
  secret: BankSecret;
  authentications: Authentications;
  results: Results;
  challenges: Challenges;
  decoupled: Decoupled;
  clock: Clock;
}

export function directoryServerRoutes(app: FastifyInstance, bank: DirectoryServer): void {
  app.addHook("onRequest", requireBearer(bank.apiKey));
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const isNoJson = error.code === "FST_ERR_CTP_INVALID_JSON_BODY" || error.code === "FST_ERR_CTP_EMPTY_JSON_BODY";
    const isUnreadable = isNoJson || (error instanceof UnreadableRequest && error.part === "body");
    if (!isUnreadable) throw error;
    return reply.code(200).send(erro({ code: "101", detail: "The body is not JSON." }));
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
    return result ?? reply.code(404).send({ error: { message: "The bank has no result of this transaction." } });
  });

  app.get("/directory-server/authentications", async () => ({ authentications: bank.authentications.all() }));
}

/** What the issuer decides: at once, or after it has asked the cardholder. */
function authenticate(areq: ReadAReq, bank: DirectoryServer): ARes | Erro {
  const { threeDSServerTransID, messageVersion, acctNumber } = areq;
  if (bank.authentications.has(threeDSServerTransID)) {
    bank.authentications.count(threeDSServerTransID, "AReq");
    const detail = "threeDSServerTransID: it was used before. An authentication has one AReq.";
    return erro({ code: "305", detail, version: messageVersion, about: "AReq", threeDSServerTransID });
  }
  const ids: Ids = { threeDSServerTransID, acsTransID: randomUUID(), dsTransID: randomUUID() };
  const { answer, challenge } = answerAReq(areq, ids, bank);
  const { messageCategory, threeDSServerURL } = areq;
  const transaction: Transaction = { ids, messageVersion, messageCategory, threeDSServerURL };
  // Made now, so that nothing has to remember the number.
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
    asked: {
      threeDSRequestorChallengeInd: areq.threeDSRequestorChallengeInd,
      threeDSRequestorDecReqInd: areq.threeDSRequestorDecReqInd,
      ...given(areq, ["threeDSMethodId"]),
    },
    transStatus: answer.messageType === "ARes" ? answer.transStatus : null,
    errorCode: answer.messageType === "Erro" ? answer.errorCode : null,
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
  if (answer.messageType === "ARes" && answer.transStatus === "D") bank.decoupled.open(transaction, proofs.Y);
  return answer;
}

const purchaseFields = [
  "messageCategory",
  "merchantName",
  "purchaseAmount",
  "purchaseCurrency",
  "purchaseExponent",
] as const satisfies (keyof Purchase)[];

/** Those of the fields that are there. */
function given<Name extends keyof ReadAReq>(areq: ReadAReq, names: readonly Name[]): Pick<ReadAReq, Name> {
  const there = names.filter((name) => areq[name] !== undefined);
  return Object.fromEntries(there.map((name) => [name, areq[name]])) as Pick<ReadAReq, Name>; // optional ones only: what is not there may be missing
}
