/**
 * Separates the hosts that one process serves. Each route belongs to one of them: the checkout's host has the iframe's
 * pages and their JSON, the dashboard's host has what merchants and operators use, and every other host has the API.
 *
 * On any other host, a route responds with 404. So a secret key has no effect on the checkout's origin, the API's host
 * serves no checkout or dashboard pages, and a session cookie is useless outside the dashboard.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../../platform/config.ts";
import { ApiError } from "../../platform/errors.ts";

export type Host = "checkout" | "dashboard" | "api" | "any";

declare module "fastify" {
  interface FastifyContextConfig {
    surface?: Host;
  }
}

/** Says whether the host of a request serves the surface. The default surface is the API. */
export type IsOn = (request: FastifyRequest, surface?: Host) => boolean;

/**
 * Makes every route respond with 404 on the hosts of other surfaces. Returns the check, so that callers can apply it to
 * URLs that match no route.
 */
export function separateSurfaces(
  app: FastifyInstance,
  { checkoutOrigin, dashboardOrigin }: Pick<Config, "checkoutOrigin" | "dashboardOrigin">,
): IsOn {
  const surfaces = new Map<string, Host>([
    [new URL(checkoutOrigin).host, "checkout"],
    [new URL(dashboardOrigin).host, "dashboard"],
  ]);
  const isOn: IsOn = (request, surface = "api") =>
    surface === "any" || surface === (surfaces.get(request.host) ?? "api");
  app.addHook("onRequest", async (request) => {
    if (!request.is404 && !isOn(request, request.routeOptions.config.surface)) throw routeUnknown();
    if (request.url.includes("%00")) throw routeUnknown(); // no ID contains NUL, which PostgreSQL rejects
  });
  return isOn;
}

/**
 * Assigns every route that is registered on `app` after this call to a surface, including the routes of plugins. Other
 * routes belong to the API.
 */
export function onSurface(app: FastifyInstance, surface: Host): void {
  app.addHook("onRoute", (route) => {
    route.config = { ...route.config, surface };
  });
}

export function routeUnknown(): ApiError {
  return new ApiError("route_unknown", "There is nothing at this URL. See /docs for the API reference.", {
    status: 404,
  });
}
