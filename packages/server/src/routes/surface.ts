/**
 * One process answers on several hosts, and each route belongs to one of them: the checkout host carries the pages of the frame and their JSON,
 * every other host the API. A route asked for on the wrong host does not exist, so the frame's origin never answers with a secret key's
 * powers and the API's host never serves a page.
 */
import type { FastifyInstance } from "fastify";
import { ApiError } from "../errors.ts";

export type Surface = "checkout" | "api" | "any";

declare module "fastify" {
  interface FastifyContextConfig {
    surface?: Surface;
  }
}

export function separateSurfaces(app: FastifyInstance, checkoutOrigin: string): void {
  const checkoutHost = new URL(checkoutOrigin).host;
  app.addHook("onRequest", async (request) => {
    const { surface = "api" } = request.routeOptions.config;
    const asked = request.host === checkoutHost ? "checkout" : "api";
    if (!request.is404 && surface !== "any" && surface !== asked) throw routeUnknown();
    if (request.url.includes("%00")) throw routeUnknown(); // no id holds a NUL, and PostgreSQL fails on one
  });
}

/** Puts every route that is registered on `app` from here on, a plugin's too, on one surface. Routes are the API's by default. */
export function onSurface(app: FastifyInstance, surface: Surface): void {
  app.addHook("onRoute", (route) => {
    route.config = { ...route.config, surface };
  });
}

export function routeUnknown(): ApiError {
  return new ApiError("route_unknown", "There is nothing at this address. The API is described at /docs.", { status: 404 });
}
