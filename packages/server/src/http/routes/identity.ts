/**
 * `GET /3ds/identity`: proves that a URL reaches this installation, for `oriel-server doctor`. It's next to the URL that
 * banks call, so a proxy that forwards only some paths forwards both or neither.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import type { Context } from "../context.ts";
import { closed } from "./params.ts";

export const identityPath = "/3ds/identity";

/** Only someone with the key file can sign it. The prefix keeps the signature from being valid for anything else. */
export function signedIdentity(nonce: string): string {
  return `oriel.identity.1 ${nonce}`;
}

const Query = Type.Object({ nonce: Type.String({ pattern: "^[A-Za-z0-9_-]{16,64}$" }) }, closed);

export function identityRoutes({ keys }: Pick<Context, "keys">): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(identityPath, { schema: { hide: true, querystring: Query } }, async ({ query }) => ({
      proof: keys.sign(signedIdentity(query.nonce)),
    }));
  };
}
