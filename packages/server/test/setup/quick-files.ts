/**
 * Lists which API tests run in `npm test`, and on which database. All others run in `npm run test:full`.
 *
 * - PostgreSQL: every file except `every-statement.test.ts` and `nodes.citus.test.ts`.
 * - PGlite: about thirty files whose results could differ there. `every-statement.test.ts` prepares all statements on
 *   PGlite, so the others would only show again that its SQL is PostgreSQL's. Add a file to `restOnPglite` if it depends
 *   on something that isn't plain SQL: on starting or opening the embedded database, on locks, claims or transactions
 *   with a single connection, on notifications, on how many rows a statement changed, on the database's clock, or on
 *   values whose conversion to JavaScript or order could differ, such as bytes, JSON, arrays, big integers and text. Also
 *   add it if it has expectations of its own for PGlite. If it only works with several connections or processes, name it
 *   `*.postgres.test.ts`.
 * - PostgreSQL 15: a few files whose results could differ there.
 * - Citus: every file that applies to a cluster, only in `npm run test:citus`.
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
  "cli.postgres",
  "clock.postgres",
  "emails-killed.postgres",
  "failover.postgres",
  "listen.postgres",
  "lost-database.postgres",
  "mistakes.postgres",
  "readiness.postgres",
  "restart.postgres",
  "resume.postgres",
  "slow-clients.postgres",
  "telemetry.postgres",
  "trigger.postgres",
  "vault-database.postgres",
);

/** Loses workers of a Citus cluster and moves accounts between them, so no other test may use the cluster meanwhile. */
export const aloneOnCitus = files("nodes.citus");

/** Files that `npm run check` leaves out. */
export const tooSlowToCheck = [...slow, ...everyStatement, ...aloneOnCitus];

/** Files on PostgreSQL that `npm test` leaves out: the slow ones and card testing. */
export const slowOnPostgres = [...slow, ...files("card-testing-attacks.postgres")];

/** Files that `npm run test:full` runs on the oldest PostgreSQL that Oriel supports. */
export const onPostgres15 = [
  ...everyStatement,
  ...files(
    "backup", // reads and fills tables through the system catalogs
    "concurrent-duplicates", // locks and waiting transactions
    "database-roles", // what a role may do, which changed in version 16
    "event-feed", // snapshots and the order of transactions
    "plans.postgres", // the planner
    "upgrade.postgres", // prepared statements whose tables change
  ),
];

/** Files that don't apply to Citus. */
export const notOnCitus = files(
  "backup", // there's no snapshot of all nodes, so `oriel-server backup` and `restore` refuse a cluster
  "every-statement", // prepares the statements that were sent to PostgreSQL
  "failover.postgres", // starts a primary and a standby, and makes one server read-only
  "nodes", // makes PostgreSQL look like a cluster
  "plans.postgres", // reads PostgreSQL's plans, which Citus leaves to the workers
  "statement-counts.postgres", // starts a PostgreSQL that counts its statements
);

/**
 * Files on PGlite in `npm test`, which find faults of each kind: in values, in counts of changed rows, in the queue for
 * its only connection, and in the order of transactions.
 */
export const quickOnPglite = files("event-feed", "idempotency", "refunds", "sessions", "storage");

/** Further files on PGlite in `npm run test:full`. */
export const restOnPglite = files(
  "account-by-account",
  "acquirer-accounts",
  "attempt-latches",
  "audit-chain",
  "backup",
  "card-storage",
  "cli",
  "concurrent-duplicates",
  "customers",
  "dashboard-payments",
  "dashboard-team",
  "database-roles",
  "earlier-card-attempts",
  "emails",
  "idempotency-claims",
  "idempotency-recovery",
  "lists",
  "lost-race",
  "recovery",
  "recovery-claims",
  "redelivery",
  "refused-requests",
  "risk",
  "session-end",
  "start",
  "state-latches",
  "telemetry",
  "three-d-secure-results",
  "webhook-schedule",
  "webhooks",
);
