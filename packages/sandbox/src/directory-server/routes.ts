/**
 * The directory server: one address for PReq and AReq. Whatever is wrong with a message is answered by an Erro with status 200, as the
 * specification has it; only a wrong key and a body that is too large are HTTP's to refuse. It keeps last four digits, no card number.
 *
 * `GET /directory-server/authentications` is no part of 3-D Secure: it shows a test what really happened, as the acquirer's books do.
 */
import { randomUUID } from "node:crypto";
import { cardBrand } from "@oriel/protocol/card";
import { messageVersion, type AReq, type ARes, type Erro } from "@oriel/protocol/threeds";
import type { FastifyError, FastifyInstance } from "fastify";
import type { Authentications } from "../acs/authentications.ts";
import type { Challenges } from "../acs/challenges.ts";
import type { BankSecret } from "../bank-secret.ts";
import { requireBearer } from "../bearer.ts";
import { cardRanges, threeDSecureOf } from "../cards.ts";
import type { Clock } from "../clock.ts";
import { erro, readMessage } from "./read-message.ts";

interface DirectoryServer {
  apiKey: string;
  /** Public origin of the ACS's pages. */
  origin: string;
  secret: BankSecret;
  authentications: Authentications;
  challenges: Challenges;
  clock: Clock;
}

export function directoryServerRoutes(app: FastifyInstance, bank: DirectoryServer): void {
  app.addHook("onRequest", requireBearer(bank.apiKey));
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const isUnreadable = error.code === "FST_ERR_CTP_INVALID_JSON_BODY" || error.code === "FST_ERR_CTP_EMPTY_JSON_BODY";
    if (!isUnreadable) throw error;
    return reply.code(200).send(erro("101", "Message Received Invalid", "The body is not JSON.", ""));
  });

  app.post("/directory-server", async (request) => {
    const message = readMessage(request.body);
    switch (message.messageType) {
      case "Erro":
        return message;
      case "PReq":
        return { messageType: "PRes", messageVersion, cardRangeData: cardRanges(`${bank.origin}/acs/method`) };
      case "AReq":
        return authenticate(message, bank);
    }
  });

  app.get("/directory-server/authentications", async () => ({ authentications: bank.authentications.all() }));
}

/** What the issuer decides: at once, or after it has asked the cardholder. */
function authenticate(areq: AReq, bank: DirectoryServer): ARes | Erro {
  const { threeDSServerTransID } = areq;
  if (bank.authentications.has(threeDSServerTransID)) {
    const detail = "threeDSServerTransID: it was used before. An authentication has one AReq.";
    return erro("305", "Transaction Data Not Valid", detail, "AReq", threeDSServerTransID);
  }
  const ids = { threeDSServerTransID, acsTransID: randomUUID(), dsTransID: randomUUID() };
  const ares = { messageType: "ARes", messageVersion, ...ids, ...verdict(areq, ids.dsTransID, bank) } as const satisfies ARes;
  bank.authentications.open({
    ...ids,
    card: { last4: areq.acctNumber.slice(-4) },
    cardholder: cardholderOf(areq),
    threeDSCompInd: areq.threeDSCompInd,
    transStatus: ares.transStatus,
    created: Math.floor(bank.clock.now() / 1000),
  });
  if (ares.transStatus === "C") bank.challenges.open(ids, areq, proof(areq.acctNumber, ids.dsTransID, bank.secret));
  return ares;
}

function cardholderOf({ cardholderName, email, billAddrPostCode, billAddrCountry }: AReq) {
  return {
    ...(cardholderName === undefined ? {} : { cardholderName }),
    ...(email === undefined ? {} : { email }),
    ...(billAddrPostCode === undefined ? {} : { billAddrPostCode }),
    ...(billAddrCountry === undefined ? {} : { billAddrCountry }),
  };
}

function verdict(areq: AReq, dsTransID: string, { origin, secret }: DirectoryServer): Pick<ARes, "transStatus"> & Partial<ARes> {
  const part = threeDSecureOf(areq.acctNumber);
  switch (part) {
    case "none": // 13: the cardholder is not enrolled
      return { transStatus: "U", transStatusReason: "13" };
    case "unknown": // 08: no such card
      return {
        transStatus: "N",
        transStatusReason: "08",
        cardholderInfo: "Your bank does not know this card. Please check the number.",
      };
    case "frictionless":
    case "challenge": {
      const isChallengeMandated = areq.threeDSRequestorChallengeInd === "04";
      if (part === "frictionless" && !isChallengeMandated) {
        return { transStatus: "Y", ...proof(areq.acctNumber, dsTransID, secret) };
      }
      return { transStatus: "C", acsURL: `${origin}/acs/challenge`, acsChallengeMandated: isChallengeMandated ? "Y" : "N" };
    }
  }
}

function proof(number: string, dsTransID: string, secret: BankSecret): { eci: string; authenticationValue: string } {
  const eci = cardBrand(number) === "mastercard" ? "02" : "05"; // fully authenticated
  return { eci, authenticationValue: secret.authenticationValue(dsTransID, number) };
}
