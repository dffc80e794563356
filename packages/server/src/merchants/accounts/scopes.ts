/**
 * The scopes of secret keys: `full` allows everything, `read` allows reading, and `checkout` allows creating, reading and
 * updating checkout sessions, and replacing their URLs, which is all that a shop's web server needs. Everything else is
 * refused.
 */
import { ApiError } from "../../platform/errors.ts";
import type { Row } from "../../platform/storage/tables.ts";

export type Scope = Row<"api_key">["scope"];
export const scopes = ["full", "read", "checkout"] as const satisfies Scope[];

const checkoutSessions = "/api/v1/checkout_sessions";

/**
 * Must run before a stored response is replayed.
 *
 * @param route the route's pattern, such as `/api/v1/charges/:id`
 * @throws ApiError `insufficient_scope`
 */
export function requireScope(scope: Scope, method: string, route: string): void {
  if (isWithin(scope, method, route)) return;
  throw new ApiError(
    "insufficient_scope",
    `This secret key has the scope \`${scope}\`, which doesn't allow ${method} ${route}. Use a key with another scope.`,
  );
}

function isWithin(scope: Scope, method: string, route: string): boolean {
  const reads = method === "GET" || method === "HEAD";
  switch (scope) {
    case "full":
      return true;
    case "read":
      return reads;
    case "checkout":
      if (route === checkoutSessions) return reads || method === "POST";
      if (route === `${checkoutSessions}/:id/embed_url`) return method === "POST";
      return route === `${checkoutSessions}/:id` && (reads || method === "PATCH");
  }
}
