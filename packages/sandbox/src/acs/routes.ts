/**
 * The ACS, as browsers meet it: forms in, pages out, no key, no cookie. Anyone may post anything here; what is not a whole and known message
 * gets a page that says so with an error code, and never sees again what it sent.
 */
import formbody from "@fastify/formbody";
import type { FastifyError, FastifyInstance, FastifyReply } from "fastify";
import type { Authentications } from "./authentications.ts";
import type { Challenges, Step } from "./challenges.ts";
import { encode, readCReq, readMethodData } from "./form-data.ts";
import { challengePage, refusalPage, returnPage, sendPage } from "./pages.ts";

interface Acs {
  authentications: Authentications;
  challenges: Challenges;
}

export async function acsRoutes(app: FastifyInstance, { authentications, challenges }: Acs): Promise<void> {
  await app.register(formbody, { bodyLimit: 16_384 });
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) throw error;
    return sendPage(reply, refusalPage("101"), status);
  });

  app.post<{ Body: { threeDSMethodData: string } }>("/method", { schema: { body: methodForm } }, async (request, reply) => {
    const method = readMethodData(request.body.threeDSMethodData);
    if (method === null) return sendPage(reply, refusalPage("203"), 400);
    const { threeDSServerTransID, threeDSMethodNotificationURL } = method;
    authentications.recordMethod(threeDSServerTransID, request.headers["user-agent"] ?? "");
    return sendPage(reply, returnPage(threeDSMethodNotificationURL, { threeDSMethodData: encode({ threeDSServerTransID }) }));
  });

  app.post<{ Body: { creq: string; threeDSSessionData?: string } }>(
    "/challenge",
    { schema: { body: challengeForm } },
    async (request, reply) => {
      const creq = readCReq(request.body.creq);
      if ("errorCode" in creq) return sendPage(reply, refusalPage(creq.errorCode), 400);
      return sendStep(reply, await challenges.present(creq, request.body.threeDSSessionData));
    },
  );

  app.post<{ Body: { acsTransID: string } & ({ action: "cancel" } | { action: "submit"; code: string; tries: string }) }>(
    "/challenge/answer",
    { schema: { body: answerForm } },
    async ({ body }, reply) => {
      const answer = body.action === "cancel" ? body : { action: body.action, code: body.code.trim(), tries: Number(body.tries) };
      return sendStep(reply, await challenges.answer(body.acsTransID, answer));
    },
  );
}

function sendStep(reply: FastifyReply, step: Step): FastifyReply {
  switch (step.step) {
    case "ask":
      return sendPage(reply, challengePage(step));
    case "return":
      return sendPage(reply, returnPage(step.notificationURL, { cres: encode(step.cres), threeDSSessionData: step.sessionData }));
    case "refused":
      return sendPage(reply, refusalPage(step.errorCode), 400);
  }
}

// Forms may carry more than this: a browser sends whatever the page that made the form has put in it.
const methodForm = {
  type: "object",
  required: ["threeDSMethodData"],
  properties: { threeDSMethodData: { type: "string", minLength: 1, maxLength: 8000 } },
};

const challengeForm = {
  type: "object",
  required: ["creq"],
  properties: {
    creq: { type: "string", minLength: 1, maxLength: 8000 },
    threeDSSessionData: { type: "string", maxLength: 1024 },
  },
};

const answerForm = {
  type: "object",
  required: ["acsTransID", "action"],
  properties: { acsTransID: { type: "string", minLength: 1, maxLength: 36 }, action: { enum: ["submit", "cancel"] } },
  if: { properties: { action: { const: "submit" } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: {
    required: ["code", "tries"],
    properties: { code: { type: "string", maxLength: 100 }, tries: { type: "string", pattern: "^[0-9]$" } },
  },
};
