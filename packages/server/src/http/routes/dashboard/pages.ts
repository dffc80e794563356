/**
 * Serves the dashboard's pages from the build in `dist/dashboard`: one HTML document for all pages, and its files. They
 * are the same for everyone, signed in or not, except for the nonce.
 *
 * The HTML isn't a route, because a route that matches every path would hide the API's 404 responses. Instead a hook
 * sends it on the dashboard's host where no route matches.
 */
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { sharesBody } from "@oriel/http-listener";
import { dashboardHeaders } from "@oriel/protocol/dashboard/headers";
import type { PlatformContext } from "../../../platform/context.ts";
import { readBuilt } from "../../embed/read-built.ts";
import type { BuiltFiles } from "../built-files.ts";
import { routeUnknown, type IsOn } from "../hosts.ts";
import { closed } from "../params.ts";
import { preferredEncoding } from "../send-compressed.ts";
import { immutable } from "../send-script.ts";

const ByName = Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }, closed);
const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};
/** The build's placeholder for the nonce. */
const nonceMark = "{{nonce}}";
/** The first segments of the endpoints that scripts call. */
const endpoints = new Set(["auth", "data", "operator", "static", "api", "frame"]);

/** Must be registered before the service's 404 handler. */
export function serveDashboardPage(
  app: FastifyInstance,
  { config }: PlatformContext,
  { dist }: BuiltFiles,
  isOn: IsOn,
): void {
  const html = readBuilt(join(dist, "dashboard", "index.html")).toString();
  if (html.split(nonceMark).length !== 2)
    throw new Error(`Bug: the dashboard's page doesn't contain exactly one ${nonceMark}`);
  app.addHook("onRequest", async (request, reply) => {
    if (!request.is404 || (request.method !== "GET" && request.method !== "HEAD") || !isOn(request, "dashboard"))
      return;
    const [path = ""] = request.url.split("?");
    if (!isPage(path)) return;
    const nonce = randomBytes(16).toString("base64");
    const headers = dashboardHeaders({ nonce, checkoutOrigin: config.checkoutOrigin });
    return reply.headers(headers).send(html.replace(nonceMark, nonce));
  });
}

/** Other paths get a JSON 404 response: endpoints that scripts call, and files, which have a dot in the last segment. */
function isPage(path: string): boolean {
  const segments = path.split("/");
  return !endpoints.has(segments[1] ?? "") && segments.at(-1)?.includes(".") === false;
}

/** File extensions of the compressed copies that the build creates. Compressing the files here would delay payments. */
const compressedEndings = { br: ".br", gzip: ".gz" } as const;

/** Serves the page's files. Their names contain a hash of their content. */
export function staticRoutes({ dist }: Pick<BuiltFiles, "dist">): FastifyPluginAsyncTypebox {
  const directory = join(dist, "dashboard", "static");
  // Kept in memory, so that the page and its files always come from the same build.
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
        const compressed = encoding === null ? undefined : files.get(params.name + compressedEndings[encoding]);
        if (encoding === null || compressed === undefined) return reply.send(file);
        return reply.header("content-encoding", encoding).send(compressed);
      },
    );
  };
}
