import { describe, expect, it } from "vitest";
import { ApiError } from "../../platform/errors.ts";
import { requireScope, type Scope } from "./scopes.ts";

const v1 = "/api/v1";
const routes: [string, Scope[]][] = [
  [`GET ${v1}/charges`, ["full", "read"]],
  [`HEAD ${v1}/charges`, ["full", "read"]],
  [`GET ${v1}/charges/:id`, ["full", "read"]],
  [`POST ${v1}/charges`, ["full"]],
  [`POST ${v1}/charges/:id/capture`, ["full"]],
  [`POST ${v1}/refunds`, ["full"]],
  [`POST ${v1}/decisions`, ["full"]],
  [`GET ${v1}/checkout_sessions`, ["full", "read", "checkout"]],
  [`GET ${v1}/checkout_sessions/:id`, ["full", "read", "checkout"]],
  [`POST ${v1}/checkout_sessions`, ["full", "checkout"]],
  [`PATCH ${v1}/checkout_sessions/:id`, ["full", "checkout"]],
  [`POST ${v1}/checkout_sessions/:id/embed_url`, ["full", "checkout"]],
  [`POST ${v1}/checkout_sessions/:id/expire`, ["full"]],
  [`POST ${v1}/checkout_sessions/:id/cancel`, ["full"]],
  [`GET ${v1}/webhook_endpoints`, ["full", "read"]],
  [`GET ${v1}/webhook_endpoints/:id`, ["full", "read"]],
  [`GET ${v1}/webhook_endpoints/:id/deliveries`, ["full", "read"]],
  [`POST ${v1}/webhook_endpoints`, ["full"]],
  [`POST ${v1}/webhook_endpoints/:id/rotate_secret`, ["full"]],
  [`POST ${v1}/webhook_endpoints/:id/ping`, ["full"]],
  [`POST ${v1}/webhook_endpoints/:id/redeliver`, ["full"]],
  [`PATCH ${v1}/webhook_endpoints/:id`, ["full"]],
  [`DELETE ${v1}/webhook_endpoints/:id`, ["full"]],
  [`GET ${v1}/events`, ["full", "read"]],
  [`POST ${v1}/events/:id/redeliver`, ["full"]],
  [`GET ${v1}/checkout_sessions_of_others`, ["full", "read"]],
];

describe.each(["full", "read", "checkout"] as const)("requireScope with the scope %s", (scope) => {
  it.each(routes)("allows %s only for %j", (request, allowed) => {
    const [method = "", route = ""] = request.split(" ");
    expect(refusalOf(scope, method, route)).toEqual(
      allowed.includes(scope) ? null : { code: "insufficient_scope", status: 401 },
    );
  });
});

function refusalOf(scope: Scope, method: string, route: string): object | null {
  try {
    requireScope(scope, method, route);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, status: error.status };
  }
}
