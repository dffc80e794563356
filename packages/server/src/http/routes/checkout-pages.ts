/**
 * Serves the iframe's pages from the build in `dist`.
 *
 * A page has the same bytes for all sessions with the same language, appearance and shape of the form. Only two headers
 * differ: `frame-ancestors`, which lists the session's allowed origins, and COEP, which is sent if the URL has
 * `coep=1`. Only the runner page may frame and post to any origin, because it contains the bank's pages.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import formbody from "@fastify/formbody";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply } from "fastify";
import Type from "typebox";
import { recordBrowserAccept, recordMethodNotified } from "../../payments/flow/threeds/authentications.ts";
import {
  recordBrowserReturn,
  readBrowserReturn,
  readTransactionId,
} from "../../payments/flow/threeds/browser-return.ts";
import { requestResult } from "../../payments/flow/threeds/request-result.ts";
import { frameAncestorsOf, pageSettingsOf } from "../../payments/sessions/session-pages.ts";
import { tenantOfTag } from "../../platform/ids.ts";
import type { Context } from "../context.ts";
import { readBuilt } from "../embed/read-built.ts";
import type { BuiltFiles } from "./built-files.ts";
import { readPages, sendPage } from "./built-pages.ts";
import { onSurface, routeUnknown } from "./hosts.ts";
import { pageLanguage } from "./page-language.ts";
import { createVariantWriter } from "./page-variants.ts";
import { ById, ByOwner, closed } from "./params.ts";
import { sendCompressed } from "./send-compressed.ts";
import { forAnyOrigin, immutable, sendDrawing, sendScript } from "./send-script.ts";

const FileName = Type.String({ minLength: 1, maxLength: 100 });
const ByName = Type.Object({ name: FileName }, closed);
const ByHash = Type.Object({ hash: FileName, name: FileName }, closed);
/** What a bank posts. We read one field and ignore any others. */
const MethodForm = Type.Object({ threeDSMethodData: Type.Optional(Type.String({ maxLength: 8192 })) });
const ChallengeForm = Type.Object({ cres: Type.Optional(Type.String({ maxLength: 65_536 })) });

export function checkoutPageRoutes(context: Context, { dist }: Pick<BuiltFiles, "dist">): FastifyPluginAsyncTypebox {
  const pages = readPages(join(dist, "checkout"));
  // Kept in memory like the pages, so that a page and its files always come from the same build.
  const assets = readAssets(join(dist, "checkout", "assets"));
  const texts = readTexts(join(dist, "checkout", "assets", "texts"));
  const writeVariant = createVariantWriter();
  const sendLanding = (reply: FastifyReply, origins: string[]) =>
    sendPage(reply, "landing", pages.landing, { ancestors: ancestors(["'self'", ...origins]), coep: false });

  return async (app) => {
    onSurface(app, "checkout");
    await app.register(formbody);
    app.get("/assets/:name", { schema: { hide: true, params: ByName } }, async ({ params }, reply) => {
      const file = assets.get(params.name);
      if (file === undefined) throw routeUnknown();
      return params.name.endsWith(".svg") ? sendDrawing(reply, file, immutable) : sendScript(reply, file, immutable);
    });

    app.get("/assets/texts/:hash/:name", { schema: { hide: true, params: ByHash } }, async ({ params }, reply) => {
      const found = texts.get(`${params.hash}/${params.name}`);
      if (found === undefined) throw routeUnknown();
      // A sandboxed page has an opaque origin, and must still be able to load the error text that explains the problem.
      void forAnyOrigin(reply, immutable).type("application/json; charset=utf-8");
      return sendCompressed(reply, found);
    });

    app.get("/c/:id", { schema: { hide: true, params: ById } }, async ({ params, url, headers }, reply) => {
      const { allowed_origins, locale, appearance, shape } = await pageSettingsOf(context, params.id);
      const language = pageLanguage(locale, headers["accept-language"]);
      const page = pages.checkout.get(language);
      if (page === undefined) throw new Error(`Bug: no page in ${language}`);
      void reply.header("content-language", language).header("vary", "Accept-Language");
      const html = writeVariant(page.html, language, appearance, shape);
      return sendPage(
        reply,
        "checkout",
        { ...page, html },
        { ancestors: ancestors(allowed_origins), coep: isUnderCoep(url) },
      );
    });

    app.get("/3ds/run/:id", { schema: { hide: true, params: ById } }, async ({ params, url, headers }, reply) => {
      await recordBrowserAccept(context, params.id, headers.accept?.trim() || "*/*");
      const origins = await frameAncestorsOf(context, { paymentId: params.id });
      return sendPage(reply, "runner", pages.runner, {
        ancestors: ancestors(["'self'", ...origins]),
        coep: isUnderCoep(url),
      });
    });

    const methodSchema = { hide: true, params: ByOwner, body: MethodForm };
    app.post("/3ds/method/:owner", { schema: methodSchema }, async ({ params, body }, reply) => {
      const owner = tenantOfTag(params.owner);
      const transactionId = readTransactionId(body.threeDSMethodData);
      if (owner === undefined || transactionId === null) return sendLanding(reply, []);
      await recordMethodNotified(context, owner, transactionId);
      return sendLanding(reply, await frameAncestorsOf(context, { owner, transactionId }));
    });

    const challengeSchema = { hide: true, params: ByOwner, body: ChallengeForm };
    app.post("/3ds/challenge/:owner", { schema: challengeSchema }, async ({ params, body }, reply) => {
      const owner = tenantOfTag(params.owner);
      const transactionId = readTransactionId(body.cres);
      if (owner === undefined || transactionId === null) return sendLanding(reply, []);
      // This only says which challenge has ended. The outcome comes with the bank's RReq, or from a vendor's 3DS
      // Server.
      const back = readBrowserReturn(body.cres);
      const ended = back && (await recordBrowserReturn(context, owner, back));
      if (ended !== null) context.inBackground("request a 3-D Secure result", requestResult(context, ended));
      return sendLanding(reply, await frameAncestorsOf(context, { owner, transactionId }));
    });
  };
}

/**
 * Says whether the URL has `coep=1`, which the loader adds only on a page with COEP. A page that always sent COEP would
 * make the browser block the pages of real banks. Other parameters are ignored, because email and ad software append
 * their own.
 */
function isUnderCoep(url: string): boolean {
  return new URLSearchParams(url.split("?")[1]).get("coep") === "1";
}

/** The origins are safe in a header: they were validated as exact origins when the session was created. */
function ancestors(sources: string[]): string {
  return sources.length === 0 ? "'none'" : sources.join(" ");
}

function readAssets(directory: string): ReadonlyMap<string, Buffer> {
  return new Map(filesIn(directory).map((name) => [name, readBuilt(join(directory, name))]));
}

/** Reads the texts, keyed by their path below `directory`: the build's hash and the file name. */
function readTexts(directory: string): ReadonlyMap<string, Buffer> {
  const builds = readdirSync(directory);
  const names = builds.flatMap((hash) => filesIn(join(directory, hash)).map((name) => `${hash}/${name}`));
  return new Map(names.map((name) => [name, readBuilt(join(directory, name))]));
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}
