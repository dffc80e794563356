/**
 * The pages of a session's frame, from what the build left in `dist`.
 *
 * Every page's bytes are the same for every session; what differs is one header, `frame-ancestors`, which names the session's allowed origins,
 * and COEP, which a page has when its address asks for it. The bank's pages are frames of the runner only, so only the runner may frame and
 * post anywhere.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import formbody from "@fastify/formbody";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply } from "fastify";
import Type from "typebox";
import type { Context } from "../context.ts";
import { readBuilt } from "../embed/read-built.ts";
import { frameAncestorsOf } from "../sessions/frame-ancestors.ts";
import type { BuiltFiles } from "./built-files.ts";
import { readPages, sendPage, type BuiltPage } from "./built-pages.ts";
import { ById, closed } from "./params.ts";
import { immutable, sendScript } from "./send-script.ts";
import { onSurface, routeUnknown } from "./surface.ts";
import { noteBrowserAccept, noteMethodNotified } from "../threeds/authentications.ts";

const ByName = Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }, closed);
/** What a bank posts: one field that we read, and whatever else it likes. */
const MethodForm = Type.Object({ threeDSMethodData: Type.Optional(Type.String({ maxLength: 8192 })) });
const ChallengeForm = Type.Object({ cres: Type.Optional(Type.String({ maxLength: 65_536 })) });

export function checkoutPageRoutes(context: Context, { dist }: Pick<BuiltFiles, "dist">): FastifyPluginAsyncTypebox {
  const pages = readPages(join(dist, "checkout"));
  // In memory, as the pages are: a page and the files it names always come from the same build.
  const assets = readAssets(join(dist, "checkout", "assets"));

  return async (app) => {
    onSurface(app, "checkout");
    await app.register(formbody);
    app.get("/assets/:name", { schema: { hide: true, params: ByName } }, async ({ params }, reply) => {
      const script = assets.get(params.name);
      if (script === undefined) throw routeUnknown();
      return sendScript(reply, script, immutable);
    });

    app.get("/c/:id", { schema: { hide: true, params: ById } }, async ({ params, url }, reply) => {
      const policy = {
        "frame-src": "'self'",
        "form-action": "'none'",
        "frame-ancestors": ancestors(await frameAncestorsOf(context, { sessionId: params.id }), ""),
      };
      return sendPage(reply, pages.checkout, { policy, referrerPolicy: "no-referrer", coep: isUnderCoep(url) });
    });

    app.get("/3ds/run/:id", { schema: { hide: true, params: ById } }, async ({ params, url, headers }, reply) => {
      await noteBrowserAccept(context, params.id, headers.accept?.trim() || "*/*");
      const origins = await frameAncestorsOf(context, { paymentId: params.id });
      return sendBankSide(reply, pages.runner, origins, isUnderCoep(url));
    });

    app.post("/3ds/method", { schema: { hide: true, body: MethodForm } }, async ({ body }, reply) => {
      const id = transactionOf(body.threeDSMethodData);
      if (id !== null) await noteMethodNotified(context, id);
      return sendBankSide(reply, pages.landing, await frameAncestorsOf(context, { transactionId: id }));
    });

    app.post("/3ds/challenge", { schema: { hide: true, body: ChallengeForm } }, async ({ body }, reply) => {
      // What the CRes says is not looked at beyond whose it is: the outcome comes from the bank's RReq.
      return sendBankSide(reply, pages.landing, await frameAncestorsOf(context, { transactionId: transactionOf(body.cres) }));
    });
  };
}

/**
 * Asked for under COEP only: a page that always sent it would have the browser refuse every real bank's page. Whatever else mail programs and
 * advertisements append to a link that a customer follows says nothing.
 */
function isUnderCoep(url: string): boolean {
  return new URLSearchParams(url.split("?")[1]).get("coep") === "1";
}

function sendBankSide(reply: FastifyReply, page: BuiltPage, origins: string[], coep = false): FastifyReply {
  const policy = {
    "frame-src": "https: http:",
    "form-action": "https: http:",
    "frame-ancestors": ancestors(origins, "'self' "),
  };
  // With no Referer at all the bank's POST would arrive with `Origin: null`.
  return sendPage(reply, page, { policy, referrerPolicy: "strict-origin", coep });
}

/** The origins were checked to be exact when the session was created, so they are safe in a header. */
function ancestors(origins: string[], self: "" | "'self' "): string {
  return origins.length === 0 ? self.trim() || "'none'" : self + origins.join(" ");
}

/** The threeDSServerTransID in a bank's form field: base64 or base64url, padded or not; null for anything else. */
function transactionOf(field: string | undefined): string | null {
  try {
    const message: unknown = JSON.parse(Buffer.from(field ?? "", "base64url").toString("utf8"));
    if (typeof message !== "object" || message === null || !("threeDSServerTransID" in message)) return null;
    const id = message.threeDSServerTransID;
    return typeof id === "string" && /^[0-9a-f-]{36}$/.test(id) ? id : null;
  } catch {
    return null;
  }
}

function readAssets(directory: string): ReadonlyMap<string, Buffer> {
  return new Map(readdirSync(directory).map((name) => [name, readBuilt(join(directory, name))]));
}
