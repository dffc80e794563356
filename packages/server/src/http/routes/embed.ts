/**
 * The public files under `/embed`. They need no session or token and are the same for every caller.
 *
 * ```
 * /embed/v1/oriel.js        the newest loader of version 1; signed, so that `integrity="ed25519-..."` works across versions
 * /embed/v1.1.0/oriel.js    exactly this version; never changes once it is released
 * /embed/sri.json           the `integrity` values of all versions
 * /embed/v1/why             finds out why the checkout's iframe doesn't respond; any page may frame it; no secrets
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
import { onSurface, routeUnknown } from "./hosts.ts";
import { closed } from "./params.ts";
import { forAnyOrigin, immutable, sendScript } from "./send-script.ts";

/** For URLs whose content changes with a new version, or with a new build of an unreleased version. */
const shortLived = "public, max-age=300";

const ByVersion = Type.Object({ version: Type.String({ maxLength: 100 }) }, closed);
/** Only the page's script reads the query. */
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
