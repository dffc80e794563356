/**
 * What a member of an account's team is, and what each may do. By itself, without a schema, because the browser has a
 * use for it: it hides what the reader's role does not include, which the service refuses too.
 */

/** What a member of an account's team is. Each may do what the next one may, and more. */
export const roles = ["owner", "developer", "support", "read_only"] as const;
export type Role = (typeof roles)[number];

/**
 * What a route needs. `data.read`: payments, payment methods, events, the team's names. `payments.manage`: refund,
 * capture, cancel, detach, redeliver. `developing`: secret keys, webhook endpoints and their secrets, the request log,
 * allowed origins, looks. `owning`: the team, the application for live mode, the account's name.
 */
export const permissions = ["data.read", "payments.manage", "developing", "owning"] as const;
export type Permission = (typeof permissions)[number];

export const permissionsOf: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ["data.read", "payments.manage", "developing", "owning"],
  developer: ["data.read", "payments.manage", "developing"],
  support: ["data.read", "payments.manage"],
  read_only: ["data.read"],
};
