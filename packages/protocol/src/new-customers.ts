/** How an account admits payments of new customers. Without schemas, so that the dashboard can import it. */

/**
 * - `tokens`: without a challenge while the account's bucket has tokens.
 * - `always_challenge`: only with a completed challenge.
 * - `never_challenge`: without one, unless the issuer or another rule requires it.
 */
export const newCustomersPolicies = ["tokens", "always_challenge", "never_challenge"] as const;
export type NewCustomersPolicy = (typeof newCustomersPolicies)[number];

/** The most tokens that a bucket can have. */
export const maxBucketSize = 10_000;
