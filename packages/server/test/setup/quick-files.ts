/**
 * Lists which API tests run in `npm test`, by database. All others run in `npm run test:full`. Every file runs on
 * PostgreSQL, and all but `*.postgres.test.ts` run on PGlite too.
 */

/** Files that `npm run check` leaves out, because they start processes or database servers. */
export const tooSlowToCheck = [
  "cli",
  ...[
    "cli",
    "clock",
    "listen",
    "lost-database",
    "mistakes",
    "readiness",
    "restart",
    "resume",
    "slow-clients",
    "telemetry",
    "trigger",
    "vault-database",
  ].map((name) => `${name}.postgres`),
].map((name) => `**/${name}.test.ts`);

/**
 * Slow files on PostgreSQL. Besides those above, two wait in real time, and one attacks a shop. `npm test` runs all the
 * others.
 */
export const slowOnPostgres = [
  ...tooSlowToCheck,
  "**/outage.test.ts",
  "**/request-log.postgres.test.ts",
  "**/card-testing-shapes.postgres.test.ts",
];

/** The files about storage and money, which `npm run test:full` also runs on the oldest PostgreSQL that Oriel supports. */
export const onPostgres15 = [
  "audit-chain",
  "backup",
  "captures",
  "charges",
  "concurrent-duplicates",
  "dashboard-payments",
  "event-feed",
  "idempotency",
  "lists",
  "moved-cards",
  "plans.postgres",
  "recovery-claims",
  "refunds",
  "sessions",
  "storage",
  "upgrade.postgres",
  "vault-database.postgres",
  "webhook-deliveries",
].map((name) => `**/${name}.test.ts`);

/** The only files that `npm test` runs on PGlite: those where its SQL, locks or startup could differ. */
export const quickOnPglite = [
  "audit-chain",
  "idempotency",
  "refunds",
  "concurrent-duplicates",
  "session-end",
  "sessions",
  "start",
  "storage",
  "three-d-secure-results",
  "event-feed",
].map((name) => `**/${name}.test.ts`);
