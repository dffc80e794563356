/**
 * One process answers on several hosts, and each route belongs to one of them: the checkout host carries the pages of
 * the frame and their JSON, the dashboard's host what merchants and operators see, every other host the API. A route
 * asked for on the wrong host does not exist, so the frame's origin never answers with a secret key's powers, the API's
 * host never serves a page, and nobody's session is worth anything outside the dashboard.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../../platform/config.ts";
import { ApiError } from "../../platform/errors.ts";

export type Surface = "checkout" | "dashboard" | "api" | "any";

declare module "fastify" {
  interface FastifyContextConfig {
    surface?: Surface;
  }
}

/** Whether a route of a surface exists on the host that a request asked. */
export type IsOn = (request: FastifyRequest, surface?: Surface) => boolean;

/** Refuses a route that is asked for on the wrong host. */
export function separateSurfaces(
  app: FastifyInstance,
  { checkoutOrigin, dashboardOrigin }: Pick<Config, "checkoutOrigin" | "dashboardOrigin">,
): IsOn {
  const surfaces = new Map<string, Surface>([
    [new URL(checkoutOrigin).host, "checkout"],
    [new URL(dashboardOrigin).host, "dashboard"],
  ]);
  const isOn: IsOn = (request, surface = "api") =>
    surface === "any" || surface === (surfaces.get(request.host) ?? "api");
  app.addHook("onRequest", async (request) => {
    if (!request.is404 && !isOn(request, request.routeOptions.config.surface)) throw routeUnknown();
    if (request.url.includes("%00")) throw routeUnknown(); // no id holds a NUL, and PostgreSQL fails on one
  });
  return isOn;
}

/**
 * Puts every route that is registered on `app` from here on, a plugin's too, on one surface. Routes are the API's by
 * default.
 */
export function onSurface(app: FastifyInstance, surface: Surface): void {
  app.addHook("onRoute", (route) => {
    route.config = { ...route.config, surface };
  });
}

export function routeUnknown(): ApiError {
  return new ApiError("route_unknown", "There is nothing at this address. The API is described at /docs.", {
    status: 404,
  });
}
