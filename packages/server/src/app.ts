/** Assembles the service's Fastify app. It doesn't listen yet, so tests can inject requests. */
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from "fastify";
import { HttpListener } from "@oriel/http-listener";
import { strictTransport } from "@oriel/protocol/page-headers";
import { faultOfHead } from "@oriel/protocol/request-head";
import type { Context } from "./http/context.ts";
import { acquirerNotificationRoutes } from "./http/routes/acquirer-notifications.ts";
import { apiRoutes } from "./http/routes/api.ts";
import { addSchemas } from "./http/routes/api/describe.ts";
import type { BuiltFiles } from "./http/routes/built-files.ts";
import { checkoutPageRoutes } from "./http/routes/checkout-pages.ts";
import { dashboardRoutes } from "./http/routes/dashboard.ts";
import { serveDashboardPage } from "./http/routes/dashboard/pages.ts";
import { describeApi, serveDocs } from "./http/routes/docs.ts";
import { embedRoutes } from "./http/routes/embed.ts";
import { refuseUnreadableUrl, sendErrorsAsEnvelopes, unreadableRequest } from "./http/routes/errors-to-http.ts";
import { frameRoutes } from "./http/routes/frame.ts";
import { separateSurfaces } from "./http/routes/hosts.ts";
import { identityRoutes } from "./http/routes/identity.ts";
import { readJsonStrictly } from "./http/routes/json-body.ts";
import { operationsRoutes } from "./http/routes/operations.ts";
import { readForwardedFor } from "./http/routes/read-forwarded-for.ts";
import { securityTxtRoutes } from "./http/routes/security-txt.ts";
import { threeDSResultRoutes, type ResultsKeys } from "./http/routes/threeds-results.ts";
import { compilersFactory } from "./http/schema-compilers.ts";
import { storeRequestAddress } from "./merchants/audit/request-address.ts";
import { ApiError } from "./platform/errors.ts";
import { newId } from "./platform/ids.ts";
import { measureRequests, probes } from "./telemetry/measure-requests.ts";

const servedWhenFull = new Set(probes);
const notLogged = new Set([...probes, "/assets/:name", "/static/:name"]);

export interface AppOptions {
  /** If absent, nothing is logged. */
  loggerInstance?: FastifyBaseLogger;
  /** The keys with which acquirers authenticate when they send a 3-D Secure result. */
  resultsKeys: ResultsKeys;
  /** Networks whose X-Forwarded-* headers are trusted. */
  trustProxy?: readonly string[];
  /** The listener that serves the app. It is drained when the app closes. */
  listener?: HttpListener;
  /** How often the request log is written. Tests pass a short time. Defaults to the time in production. */
  requestLogEveryMs?: number | undefined;
  /** The files for browsers; null serves none, for tests of the API alone. */
  files: BuiltFiles | null;
}

export async function createApp(
  context: Context,
  { loggerInstance, resultsKeys, trustProxy = [], files, listener = new HttpListener(), requestLogEveryMs }: AppOptions,
): Promise<FastifyInstance> {
  const app = Fastify({
    ...(loggerInstance === undefined ? {} : { loggerInstance }),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    genReqId: () => newId("req", context.now()),
    bodyLimit: 64 * 1024,
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    frameworkErrors: (_error, request, reply) => refuseUnreadableUrl(request, reply, isOn),
    // Requests that arrive during shutdown are served. Their connections close afterwards.
    return503OnClosing: false,
    serverFactory: (handle) => listener.createServer(handle),
    clientErrorHandler: (error, socket) => listener.hangUp(error, socket, unreadableRequest(error)),
    // Bodies are validated exactly as sent, without type coercion, dropped fields or defaults.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    schemaController: { compilersFactory },
  });

  const { checkoutOrigin, dashboardOrigin } = context.config;
  const ourPages = [checkoutOrigin, dashboardOrigin]
    .map((origin) => new URL(origin))
    .filter((url) => url.protocol === "https:");
  const overHttps = new Set(ourPages.map(({ host }) => host));
  measureRequests(app, context.telemetry);
  // Registered before every hook that can refuse a request, so that error responses have these headers too.
  app.addHook("onRequest", async (request, reply) => {
    void reply.header("request-id", request.id);
    // Only on the hosts of our pages, because the API's host may also serve other content over plain HTTP.
    if (overHttps.has(request.host)) void reply.header("strict-transport-security", strictTransport);
  });
  refuseWhenFull(app, listener);
  app.addHook("preClose", async () => listener.drain());
  readForwardedFor(app);
  storeRequestAddress(app);
  refuseAmbiguousHost(app);
  const isOn = separateSurfaces(app, context.config);
  if (files !== null) serveDashboardPage(app, context, files, isOn);
  sendErrorsAsEnvelopes(app, isOn);
  readJsonStrictly(app);
  app.addHook("onResponse", async (request, reply) => {
    const { url } = request.routeOptions; // log the pattern, because the actual URL may contain a secret
    if (url === undefined || notLogged.has(url)) return;
    const details = { status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    request.log.info(details, `${request.method} ${url}`);
  });

  await describeApi(app, context.config.apiUrl);
  addSchemas(app);
  await app.register(apiRoutes(context, requestLogEveryMs), { prefix: "/api/v1" });
  await app.register(frameRoutes(context), { prefix: "/frame" });
  if (files !== null) {
    await app.register(checkoutPageRoutes(context, files));
    await app.register(embedRoutes(files));
  }
  await app.register(dashboardRoutes(context, files));
  await app.register(threeDSResultRoutes(context, resultsKeys));
  await app.register(acquirerNotificationRoutes(context));
  await app.register(identityRoutes(context));
  await app.register(operationsRoutes(context));
  await app.register(securityTxtRoutes(context));
  await serveDocs(app);
  return app;
}

/**
 * Refuses new requests while the requests in progress use too much memory. Health checks still pass, because an
 * overloaded service is still alive.
 */
function refuseWhenFull(app: FastifyInstance, listener: HttpListener): void {
  app.addHook("onRequest", (request, _reply, done) => {
    if (!listener.isFull() || servedWhenFull.has(request.routeOptions.url ?? "")) return done();
    const message = "The service is overloaded. Try again in one second with the same Idempotency-Key.";
    done(new ApiError("service_unavailable", message, { retryAfterSeconds: 1 }));
  });
}

/**
 * Refuses a request whose host is ambiguous and closes the connection, because further requests on it may belong to the
 * same attack. Must be registered before every hook that reads the host.
 */
function refuseAmbiguousHost(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw }, reply) => {
    const fault = faultOfHead(raw.url ?? "", raw.rawHeaders);
    if (fault === null) return;
    void reply.header("connection", "close");
    throw new ApiError("body_malformed", fault);
  });
}
