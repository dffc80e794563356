/**
 * Lists which API tests run in `npm test`, by database. All others run in `npm run test:full`. Every file runs on
 * PostgreSQL, and all but `*.postgres.test.ts` run on PGlite too.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";

function files(...names: string[]): string[] {
  for (const name of names)
    if (!existsSync(join(import.meta.dirname, `../${name}.test.ts`))) throw new Error(`There is no test ${name}.`);
  return names.map((name) => `**/${name}.test.ts`);
}

/** Prepares the statements that the other files have sent to PostgreSQL, on PGlite and on PostgreSQL 15. */
export const everyStatement = files("every-statement");

/** They start processes or database servers. */
const slow = files(
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
);

/** Files that `npm run check` leaves out. */
export const tooSlowToCheck = [...slow, ...everyStatement];

/**
 * Files on PostgreSQL that `npm test` leaves out. Besides those above, two wait in real time, and one attacks a shop.
 */
export const slowOnPostgres = [...slow, ...files("outage", "request-log.postgres", "card-testing-shapes.postgres")];

/** The files about storage and money, which `npm run test:full` also runs on the oldest PostgreSQL that Oriel supports. */
export const onPostgres15 = [
  ...everyStatement,
  ...files(
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
  ),
];

/** The only files that `npm test` runs on PGlite: those where its SQL, locks or startup could differ. */
export const quickOnPglite = files(
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
);
