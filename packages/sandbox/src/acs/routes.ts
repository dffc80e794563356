/**
 * The ACS's routes for browsers. They accept forms, return pages and need no key. Anyone may post here. An incomplete
 * or unknown message gets an error page with a code, and its contents are never repeated.
 *
 * The bank's app is a page too: `/acs/app/:acsTransID`, where a cardholder approves or declines a challenge or a
 * decoupled authentication. Knowing the ID is enough here; a real app would authenticate its customer.
 */
import formbody from "@fastify/formbody";
import type { FastifyError, FastifyInstance, FastifyReply } from "fastify";
import { leaveOpen } from "../faults/apply.ts";
import type { Authentications } from "./authentications.ts";
import { challengePage } from "./challenge-page.ts";
import type { Submission, Challenges, Step } from "./challenges.ts";
import type { Decoupled } from "./decoupled.ts";
import { encode, readCReq, readMethodData } from "./form-data.ts";
import { appPage, endPage, openerPage, outsidePage, refusalPage, returnPage, silentPage } from "./other-pages.ts";
import { sendPage } from "./page.ts";

interface Acs {
  /** Public origin of the ACS's pages. */
  origin: string;
  authentications: Authentications;
  challenges: Challenges;
  decoupled: Decoupled;
  /** Aborted when the bank closes, which ends delayed responses. */
  closing: AbortSignal;
}

interface SubmittedForm {
  acsTransID: string;
  action: Submission["action"];
  tries?: string;
  code?: string;
  choice?: string | string[];
}

export async function acsRoutes(app: FastifyInstance, acs: Acs): Promise<void> {
  const { authentications, challenges } = acs;
  await app.register(formbody, { bodyLimit: 16_384 });
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) throw error;
    return sendPage(reply, refusalPage("101", status));
  });
  methodRoutes(app, acs);
  appRoutes(app, acs);

  app.post<{ Body: { creq: string; threeDSSessionData?: string } }>(
    "/challenge",
    { schema: { body: challengeForm } },
    async (request, reply) => {
      const creq = readCReq(request.body.creq);
      if ("errorCode" in creq) return sendPage(reply, refusalPage(creq.errorCode));
      authentications.recordCReq(creq);
      return sendStep(reply, await challenges.present(creq, request.body.threeDSSessionData), acs);
    },
  );

  app.post<{ Body: SubmittedForm }>(
    "/challenge/answer",
    { schema: { body: submittedForm } },
    async (request, reply) => {
      const hasCookie = /(^|; )acs=seen(;|$)/.test(request.headers.cookie ?? "");
      return sendStep(
        reply,
        await challenges.submit(request.body.acsTransID, readSubmission(request.body), hasCookie),
        acs,
      );
    },
  );

  app.get("/outside", async (_request, reply) => sendPage(reply, outsidePage));
  app.get("/outside/opener", async (_request, reply) => sendPage(reply, openerPage));
}

/** The 3DS Method's three pages: one posts back, one doesn't, and one forbids framing. */
function methodRoutes(app: FastifyInstance, { authentications }: Acs): void {
  for (const kind of ["", "/silent", "/unframeable"] as const) {
    app.post<{ Body: { threeDSMethodData: string } }>(
      `/method${kind}`,
      { schema: { body: methodForm } },
      async (request, reply) => {
        const method = readMethodData(request.body.threeDSMethodData);
        if (method === null) return sendPage(reply, refusalPage("203"));
        const { threeDSServerTransID, threeDSMethodNotificationURL } = method;
        authentications.recordMethod(threeDSServerTransID, request.headers["user-agent"] ?? "");
        if (kind === "/silent") return sendPage(reply, silentPage);
        const page = returnPage(threeDSMethodNotificationURL, { threeDSMethodData: encode({ threeDSServerTransID }) });
        return sendPage(reply, kind === "" ? page : { ...page, headers: { "x-frame-options": "DENY" } });
      },
    );
  }
}

/** The bank's app. A waiting challenge page polls `state`. */
function appRoutes(app: FastifyInstance, { challenges, decoupled }: Acs): void {
  interface App {
    Params: { acsTransID: string };
    Body: { decision: "approve" | "decline" };
  }
  const stateOf = (acsTransID: string) => challenges.appState(acsTransID) ?? decoupled.appState(acsTransID);

  app.get<App>("/app/:acsTransID", async ({ params: { acsTransID } }, reply) => {
    const state = stateOf(acsTransID);
    return sendPage(reply, state === undefined ? refusalPage("301", 404) : appPage(acsTransID, state));
  });

  app.get<App>("/app/:acsTransID/state", async ({ params: { acsTransID } }, reply) =>
    reply.header("cache-control", "no-store").send({ state: stateOf(acsTransID) ?? "unknown" }),
  );

  app.post<App>(
    "/app/:acsTransID",
    { schema: { body: decisionForm } },
    async ({ params: { acsTransID }, body }, reply) => {
      const isApproved = body.decision === "approve";
      const isDecided =
        (await challenges.decideInApp(acsTransID, isApproved)) || (await decoupled.decide(acsTransID, isApproved));
      const state = isDecided ? "decided" : stateOf(acsTransID);
      return sendPage(reply, state === undefined ? refusalPage("301", 404) : appPage(acsTransID, state));
    },
  );
}

function sendStep(reply: FastifyReply, step: Step, { origin, authentications, closing }: Acs): FastifyReply {
  switch (step.step) {
    case "question":
      return sendPage(reply, challengePage(step, origin));
    case "return": {
      const { notificationURL, message, sessionData, times } = step;
      authentications.count(message.threeDSServerTransID, message.messageType, times);
      // The specification has one field for the return message, which also carries the Erro (Table A.3).
      return sendPage(
        reply,
        returnPage(notificationURL, { cres: encode(message), threeDSSessionData: sessionData }, times),
      );
    }
    case "stay":
      return sendPage(reply, endPage(step.isTimedOut));
    case "refused":
      return sendPage(reply, refusalPage(step.errorCode));
    case "silence":
      return leaveOpen(reply, closing);
  }
}

function readSubmission({ action, tries, code, choice = [] }: SubmittedForm): Submission {
  if (action !== "submit") return { action };
  const given = code === undefined ? [choice].flat() : [code.trim()];
  return { action, given, tries: Number(tries) };
}

// Other fields are allowed, because a browser sends whatever the page's form contains.
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

const choiceSchema = { type: "string", maxLength: 20 };

const submittedForm = {
  type: "object",
  required: ["acsTransID", "action"],
  properties: {
    acsTransID: { type: "string", minLength: 1, maxLength: 36 },
    action: { enum: ["submit", "check", "cancel"] },
    tries: { type: "string", pattern: "^[0-9]$" },
    code: { type: "string", maxLength: 100 },
    choice: { anyOf: [choiceSchema, { type: "array", maxItems: 10, items: choiceSchema }] },
  },
  if: { properties: { action: { const: "submit" } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a JSON Schema keyword
  then: { required: ["tries"] },
};

const decisionForm = {
  type: "object",
  required: ["decision"],
  properties: { decision: { enum: ["approve", "decline"] } },
};
