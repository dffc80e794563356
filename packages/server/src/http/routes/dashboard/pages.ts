/**
 * The dashboard's pages, from what the build left in `dist/dashboard`: one HTML for every address that is not asked for
 * data, and the files it names. All of it is the same for everyone, signed in or not; what differs from one response to
 * the next is the nonce.
 *
 * The HTML is no route: a route that takes every address would stand before the API's own answers to an address that it
 * does not have. It is what the dashboard's host says where nothing else is.
 */
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { sharesBody } from "@oriel/http-listener";
import { dashboardHeaders } from "@oriel/protocol/dashboard-headers";
import type { PlatformContext } from "../../../platform/context.ts";
import { readBuilt } from "../../embed/read-built.ts";
import type { BuiltFiles } from "../built-files.ts";
import { closed } from "../params.ts";
import { preferredEncoding } from "../send-compressed.ts";
import { immutable } from "../send-script.ts";
import { routeUnknown, type IsOn } from "../surface.ts";

const ByName = Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }, closed);
const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};
/** Where the build left a place for the nonce. */
const nonceMark = "{{nonce}}";
/**
 * What is there for scripts to ask; a mistake in it is answered in JSON. And no page has a dot in its last part: that
 * would be a file.
 */
const isNoPage = /^\/(auth|data|operator|static|api|frame)(\/|$)|\.[^/]*$/;

/** Before the service's answer to an unknown address. */
export function answerWithDashboardPage(
  app: FastifyInstance,
  { config }: PlatformContext,
  { dist }: BuiltFiles,
  isOn: IsOn,
): void {
  const html = readBuilt(join(dist, "dashboard", "index.html")).toString();
  if (html.split(nonceMark).length !== 2) throw new Error(`Bug: the dashboard's page has not one ${nonceMark}`);
  app.addHook("onRequest", async (request, reply) => {
    if (!request.is404 || (request.method !== "GET" && request.method !== "HEAD") || !isOn(request, "dashboard"))
      return;
    const [path = ""] = request.url.split("?");
    if (isNoPage.test(path)) return;
    const nonce = randomBytes(16).toString("base64");
    const headers = dashboardHeaders({ nonce, checkoutOrigin: config.checkoutOrigin });
    return reply.headers(headers).send(html.replace(nonceMark, nonce));
  });
}

/** Where the build put a file's compressed form: to make it here would have payments wait. */
const endings = { br: ".br", gzip: ".gz" } as const;

/** What the page loads. A file's name holds its hash. */
export function staticRoutes({ dist }: Pick<BuiltFiles, "dist">): FastifyPluginAsyncTypebox {
  const directory = join(dist, "dashboard", "static");
  // In memory, so that a page and the files it names always come from the same build.
  const files = new Map(readdirSync(directory).map((name) => [name, readBuilt(join(directory, name))]));

  return async (app) => {
    app.get(
      "/static/:name",
      { config: { needs: "nothing" }, schema: { params: ByName } },
      async ({ params, headers }, reply) => {
        const file = files.get(params.name);
        const type = types[params.name.split(".").at(-1) ?? ""];
        if (file === undefined || type === undefined) throw routeUnknown();
        void reply.type(type).header("cache-control", immutable).header("cross-origin-resource-policy", "same-origin");
        void reply.header("vary", "Accept-Encoding");
        sharesBody(reply.raw);
        const encoding = preferredEncoding(headers["accept-encoding"]);
        const compressed = encoding === null ? undefined : files.get(params.name + endings[encoding]);
        if (encoding === null || compressed === undefined) return reply.send(file);
        return reply.header("content-encoding", encoding).send(compressed);
      },
    );
  };
}
