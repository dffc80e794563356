/**
 * Runs the pending migrations: numbered, forward-only, each once, and safe if several processes start at the same time.
 */
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { vaultMigrations } from "@oriel/vault";
import { openWithoutTimeLimits, type Database, type Db } from "./database.ts";
import { asLoss } from "./database-loss.ts";
import { accounts } from "./schema/accounts.ts";
import { audit } from "./schema/audit.ts";
import { payments } from "./schema/payments.ts";
import { requests } from "./schema/requests.ts";
import { risk } from "./schema/risk.ts";
import { search } from "./schema/search.ts";
import { signIn } from "./schema/sign-in.ts";
import { underwriting } from "./schema/underwriting.ts";
import { webhooks } from "./schema/webhooks.ts";

const migrations: Record<string, string> = {
  // In the order in which they refer to each other.
  "0001_first": [accounts, signIn, underwriting, audit, payments, risk, requests, webhooks, search].join("\n"),
  ...vaultMigrations,
};

/** The names of all migrations, sorted. They identify the version of the schema. */
export const migrationNames: readonly string[] = Object.keys(migrations).sort();

/** @param later for tests: the migrations of a later version */
export async function migrate(
  { db, choice }: Pick<Database, "db" | "choice">,
  later: Record<string, string> = {},
): Promise<void> {
  // Return early, so that a role without permission to change tables can start. So can a process of an earlier version.
  if ((await pendingMigrations(db, later)).length === 0) return;
  // Changing a large table takes time, and other processes that start meanwhile wait for it.
  const patient = choice.kind === "postgres" ? openWithoutTimeLimits(choice.url) : db;
  // The first failure is the cause. Kysely reports the error from its cleanup.
  const failures: { name: string; error: unknown }[] = [];
  const migrator = migratorOf(patient, later, (name, error) => void failures.push({ name, error }));
  try {
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  } catch (error) {
    const [failed] = failures;
    const when = failed === undefined ? "during the migrations" : `during the migration ${failed.name}`;
    throw asLoss(failed?.error ?? error, when, "All migrations run in one transaction, so none was applied.");
  } finally {
    if (patient !== db) await patient.destroy();
  }
}

/** Returns the names of the migrations that haven't run yet. Changes nothing. */
export async function pendingMigrations(db: Db, later: Record<string, string> = {}): Promise<string[]> {
  const known = await migratorOf(db, later).getMigrations();
  return known.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}

function migratorOf(
  db: Db,
  later: Record<string, string>,
  hasFailed: (name: string, error: unknown) => void = () => {},
): Migrator {
  const provider = {
    getMigrations: async () =>
      Object.fromEntries(
        Object.entries({ ...migrations, ...later }).map(([name, statements]) => [
          name,
          {
            async up(tx: Db) {
              await sql
                .raw(statements)
                .execute(tx)
                .catch((error: unknown) => {
                  hasFailed(name, error);
                  throw error;
                });
            },
          },
        ]),
      ),
  };
  return new Migrator({ db, provider });
}
