/**
 * The pages of the frame and the scripts that merchants load, from what the build left in `dist`.
 *
 * Every page's bytes are the same for every session; what differs is one header, `frame-ancestors`, which names the session's allowed origins.
 * Scripts and styles are allowed by hash. The bank's pages are frames of the runner only, so only the runner may frame and post anywhere.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import formbody from "@fastify/formbody";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply } from "fastify";
import Type from "typebox";
import { bankFeatures } from "@oriel/protocol/windows";
import type { Context } from "../context.ts";
import { OperatorError } from "../operator-error.ts";
import { frameAncestorsOf } from "../sessions/frame-ancestors.ts";
import { ById, closed } from "./params.ts";
import { onSurface, routeUnknown } from "./surface.ts";
import { noteBrowserAccept, noteMethodNotified } from "../threeds/authentications.ts";

interface BuiltPage {
  html: string;
  scripts: string[];
  styles: string[];
}

type PageName = "checkout" | "runner" | "landing";

const ByName = Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }, closed);
/** What a bank posts: one field that we read, and whatever else it likes. */
const MethodForm = Type.Object({ threeDSMethodData: Type.Optional(Type.String({ maxLength: 8192 })) });
const ChallengeForm = Type.Object({ cres: Type.Optional(Type.String({ maxLength: 65_536 })) });

/** @param dist where the build is */
export function checkoutPageRoutes(context: Context, dist: string): FastifyPluginAsyncTypebox {
  const pages = readPages(join(dist, "checkout"));
  const loader = readBuilt(join(dist, "embed", "oriel.js"));
  // In memory, as the pages are: a page and the files it names always come from the same build.
  const assets = readAssets(join(dist, "checkout", "assets"));

  return async (app) => {
    onSurface(app, "checkout");
    await app.register(formbody);
    app.get("/assets/:name", { schema: { hide: true, params: ByName } }, async ({ params }, reply) => {
      const script = assets.get(params.name);
      if (script === undefined) throw routeUnknown();
      return sendScript(reply, script, "public, max-age=31536000, immutable");
    });
    app.get("/embed/v1/oriel.js", { schema: { hide: true } }, async (_request, reply) =>
      sendScript(reply, loader, "public, max-age=300"),
    );

    app.get(
      "/c/:id",
      {
        schema: { hide: true, params: ById, querystring: Type.Object({ coep: Type.Optional(Type.Literal("1")) }, closed) },
      },
      async ({ params, query }, reply) => {
        const policy = {
          "frame-src": "'self'",
          "form-action": "'none'",
          "frame-ancestors": ancestors(await frameAncestorsOf(context, { sessionId: params.id }), ""),
        };
        if (query.coep === "1") void reply.header("cross-origin-embedder-policy", "require-corp");
        return sendPage(reply, "checkout", policy).header("referrer-policy", "no-referrer");
      },
    );

    app.get("/3ds/run/:id", { schema: { hide: true, params: ById } }, async ({ params, headers }, reply) => {
      await noteBrowserAccept(context, params.id, headers.accept?.trim() || "*/*");
      return sendBankSide(reply, "runner", await frameAncestorsOf(context, { paymentId: params.id }));
    });

    app.post("/3ds/method", { schema: { hide: true, body: MethodForm } }, async ({ body }, reply) => {
      const id = transactionOf(body.threeDSMethodData);
      if (id !== null) await noteMethodNotified(context, id);
      return sendBankSide(reply, "landing", await frameAncestorsOf(context, { transactionId: id }));
    });

    app.post("/3ds/challenge", { schema: { hide: true, body: ChallengeForm } }, async ({ body }, reply) => {
      // What the CRes says is not looked at beyond whose it is: the outcome comes from the bank's RReq.
      return sendBankSide(reply, "landing", await frameAncestorsOf(context, { transactionId: transactionOf(body.cres) }));
    });
  };

  function sendBankSide(reply: FastifyReply, name: PageName, origins: string[]): FastifyReply {
    const policy = {
      "frame-src": "https: http:",
      "form-action": "https: http:",
      "frame-ancestors": ancestors(origins, "'self' "),
    };
    // With no Referer at all the bank's POST would arrive with `Origin: null`.
    return sendPage(reply, name, policy).header("referrer-policy", "strict-origin");
  }

  function sendPage(
    reply: FastifyReply,
    name: PageName,
    policy: Record<"frame-src" | "form-action" | "frame-ancestors", string>,
  ): FastifyReply {
    const { html, scripts, styles } = pages[name];
    const directives = {
      "default-src": "'none'",
      "script-src": scripts.join(" ") || "'none'",
      "style-src": styles.join(" ") || "'none'",
      "img-src": "data:",
      "connect-src": "'self'",
      "base-uri": "'none'",
      ...policy,
      "require-trusted-types-for": "'script'",
      "trusted-types": "'none'",
    };
    const csp = Object.entries(directives).map(([directive, value]) => `${directive} ${value}`);
    return reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", csp.join("; "))
      .header("cross-origin-resource-policy", "cross-origin")
      .header("cross-origin-opener-policy", "same-origin")
      .header("permissions-policy", permissionsPolicy)
      .header("x-content-type-options", "nosniff")
      .header("cache-control", "no-store")
      .send(html);
  }
}

function sendScript(reply: FastifyReply, script: string, cacheControl: string): FastifyReply {
  return reply
    .type("text/javascript; charset=utf-8")
    .header("access-control-allow-origin", "*")
    .header("cross-origin-resource-policy", "cross-origin")
    .header("x-content-type-options", "nosniff")
    .header("cache-control", cacheControl)
    .send(script);
}

/** What the bank's frames inside ours may need; the rest of the powerful features is nobody's. */
const permissionsPolicy = [
  ...bankFeatures.map((feature) => `${feature}=*`),
  ...["camera", "microphone", "geolocation", "display-capture", "usb", "serial", "hid", "midi", "fullscreen"].map(
    (feature) => `${feature}=()`,
  ),
].join(", ");

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

function readPages(directory: string): Record<PageName, BuiltPage> {
  const manifest = JSON.parse(readBuilt(join(directory, "pages.json"))) as Record<PageName, BuiltPage>; // written by the build
  const read = ({ html, ...hashes }: BuiltPage): BuiltPage => ({ ...hashes, html: readBuilt(join(directory, html)) });
  return { checkout: read(manifest.checkout), runner: read(manifest.runner), landing: read(manifest.landing) };
}

function readAssets(directory: string): ReadonlyMap<string, string> {
  return new Map(readdirSync(directory).map((name) => [name, readBuilt(join(directory, name))]));
}

function readBuilt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new OperatorError(`${path} is not there. Run \`npm run build\` first; \`npm start\` does it by itself.`);
  }
}
