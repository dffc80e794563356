/**
 * What a key may do: `full` everything, `read` only read, `checkout` only create and read checkout sessions (for a
 * shop's front server, that needs no more). What is not named here is refused.
 */
import { ApiError } from "../../platform/errors.ts";
import type { Row } from "../../platform/storage/tables.ts";

export type Scope = Row<"api_key">["scope"];
export const scopes = ["full", "read", "checkout"] as const satisfies Scope[];

const checkoutSessions = "/api/v1/checkout_sessions";

/**
 * Runs before anything else of the request, an idempotency key's stored answer too.
 *
 * @param route the pattern, as in `/api/v1/charges/:id`
 * @throws ApiError `insufficient_scope`
 */
export function requireScope(scope: Scope, method: string, route: string): void {
  if (isWithin(scope, method, route)) return;
  throw new ApiError(
    "insufficient_scope",
    `This secret key has the scope \`${scope}\`, which does not include ${method} ${route}. Use a key that may do this.`,
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
      return route === checkoutSessions ? reads || method === "POST" : reads && route === `${checkoutSessions}/:id`;
  }
}
