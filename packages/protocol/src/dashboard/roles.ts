/**
 * The roles of team members and their permissions. This file has no schemas, so that the browser can import it without
 * the schema library. The dashboard hides what a role doesn't include, and the service enforces it.
 */

/** The roles of team members. Each role includes all permissions of the roles after it. */
export const roles = ["owner", "developer", "support", "read_only"] as const;
export type Role = (typeof roles)[number];

/**
 * The permissions that routes require:
 *
 * - `data.read`: see payments, payment methods, events and team members.
 * - `payments.manage`: refund, capture and cancel payments, detach cards, redeliver events.
 * - `developing`: manage secret keys, webhook endpoints and their secrets, the request log, allowed origins, the policy
 *   for new customers and the appearance.
 * - `owning`: manage the team, the live mode application and the account's name.
 */
export const permissions = ["data.read", "payments.manage", "developing", "owning"] as const;
export type Permission = (typeof permissions)[number];

export const permissionsOf: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ["data.read", "payments.manage", "developing", "owning"],
  developer: ["data.read", "payments.manage", "developing"],
  support: ["data.read", "payments.manage"],
  read_only: ["data.read"],
};
