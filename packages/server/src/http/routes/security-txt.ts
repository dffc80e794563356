/**
 * `/.well-known/security.txt` (RFC 9116), which tells researchers where to report a vulnerability. On every host,
 * because a researcher may have found the problem on any of them. Without a contact, there's no such file.
 */
import type { FastifyPluginAsync } from "fastify";
import type { Context } from "../context.ts";
import { onSurface, routeUnknown } from "./hosts.ts";

const yearMs = 365 * 24 * 3_600_000;

export function securityTxtRoutes({ config, now }: Context): FastifyPluginAsync {
  return async (app) => {
    onSurface(app, "any");
    app.get("/.well-known/security.txt", { schema: { hide: true } }, async (_request, reply) => {
      if (config.securityContact === null) throw routeUnknown();
      void reply.type("text/plain; charset=utf-8").header("cache-control", "public, max-age=86400");
      return `Contact: ${config.securityContact}\nExpires: ${startOfDayInAYear(now())}\n`;
    });
  };
}

/** The RFC recommends less than a year. A running service shows that somebody still maintains the contact. */
function startOfDayInAYear(now: Date): string {
  return `${new Date(now.getTime() + yearMs).toISOString().slice(0, 10)}T00:00:00Z`;
}
