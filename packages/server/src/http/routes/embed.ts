/**
 * What is under `/embed`, for anyone: no session, no token, nothing that differs from one caller to the next.
 *
 * ```
 * /embed/v1/oriel.js        the loader, newest version 1; signed, so that `integrity="ed25519-..."` works across versions
 * /embed/v1.1.0/oriel.js    exactly that version: for ever once it is released, and as it was built last before that
 * /embed/sri.json           the `integrity` of each
 * /embed/v1/why             framable by anyone: asks why the checkout's own frame stays silent; no card field, no secret
 * /embed/v1/help            what each error code of the loader means and what to do
 * ```
 */
import { join } from "node:path";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { readEmbedScripts } from "../embed/embed-scripts.ts";
import type { BuiltFiles } from "./built-files.ts";
import { readPages, sendPage } from "./built-pages.ts";
import { loadErrorsPage, sendHelpPage } from "./help-page.ts";
import { closed } from "./params.ts";
import { forAnyOrigin, immutable, sendScript } from "./send-script.ts";
import { onSurface, routeUnknown } from "./surface.ts";

/**
 * So long a page may go on with what it has before it hears of a new version, or of a new build of one that is not
 * released.
 */
const shortLived = "public, max-age=300";

const ByVersion = Type.Object({ version: Type.String({ maxLength: 100 }) }, closed);
/** For the page's own script; the server has no use for them. */
const WhyQuery = Type.Object({ session: Type.Optional(Type.String()), d: Type.Optional(Type.String()) }, closed);

export function embedRoutes({ dist, releases, signingKey }: BuiltFiles): FastifyPluginAsyncTypebox {
  const { evergreen, versions, sri } = readEmbedScripts(dist, releases, signingKey);
  const { why } = readPages(join(dist, "checkout"));
  const help = loadErrorsPage();

  return async (app) => {
    onSurface(app, "checkout");
    app.get("/embed/v1/oriel.js", { schema: { hide: true } }, async (_request, reply) =>
      sendScript(reply.headers(evergreen.headers), evergreen.script, shortLived),
    );

    app.get("/embed/:version/oriel.js", { schema: { hide: true, params: ByVersion } }, async ({ params }, reply) => {
      const loader = params.version.startsWith("v") ? versions.get(params.version.slice(1)) : undefined;
      if (loader === undefined) throw routeUnknown();
      return sendScript(reply, loader.script, loader.isReleased ? immutable : shortLived);
    });

    app.get("/embed/sri.json", { schema: { hide: true } }, async (_request, reply) =>
      forAnyOrigin(reply, shortLived).send(sri),
    );

    app.get("/embed/v1/why", { schema: { hide: true, querystring: WhyQuery } }, async (_request, reply) =>
      sendPage(reply, "why", why, { ancestors: "", coep: true }),
    );

    app.get("/embed/v1/help", { schema: { hide: true } }, async (_request, reply) =>
      sendHelpPage(reply, help, shortLived),
    );
  };
}
