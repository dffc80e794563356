/**
 * Which API tests belong to `npm test`, on which database. All others run in `npm run test:full`. Every file runs on
 * PostgreSQL, and all but `*.postgres.test.ts` on PGlite too.
 */

/** PostgreSQL: all but these, which start processes and wait for clocks. */
export const slowOnPostgres = [
  "cli",
  ...["clock", "listen", "lost-database", "readiness", "resume", "slow-clients", "trigger"].map(
    (name) => `${name}.postgres`,
  ),
].map((name) => `**/${name}.test.ts`);

/** PGlite: these only, where its SQL, its locks or its start could differ. */
export const quickOnPglite = [
  "audit-chain",
  "idempotency",
  "refunds",
  "same-request",
  "session-end",
  "sessions",
  "start",
  "storage",
  "three-d-secure-results",
  "walk-events",
  "webhooks",
].map((name) => `**/${name}.test.ts`);
