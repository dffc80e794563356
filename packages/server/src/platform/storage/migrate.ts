/**
 * Runs the pending migrations: numbered, forward-only, each once, and safe if several processes start at the same time.
 */
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { vaultMigrations } from "@oriel/vault";
import { openWithoutTimeLimits, type Database, type Db } from "./database.ts";
import { asLoss } from "./database-loss.ts";
import { core } from "./migrations/0001-core.ts";
import { money } from "./migrations/0002-money.ts";
import { risk } from "./migrations/0003-risk.ts";
import { keysAndLimits } from "./migrations/0004-keys-and-limits.ts";
import { webhooks } from "./migrations/0005-webhooks.ts";
import { embed } from "./migrations/0006-embed.ts";
import { threeDSecure } from "./migrations/0007-three-d-secure.ts";
import { sessionLook } from "./migrations/0008-session-look.ts";
import { cardNetwork } from "./migrations/0009-card-network.ts";
import { logins } from "./migrations/0010-logins.ts";
import { auditChain } from "./migrations/0011-audit-chain.ts";
import { dashboardIndexes } from "./migrations/0014-dashboard-indexes.ts";
import { underwriting } from "./migrations/0012-underwriting.ts";
import { requestLog } from "./migrations/0013-request-log.ts";
import { accountSettings } from "./migrations/0015-account-settings.ts";
import { acquirer } from "./migrations/0016-acquirer.ts";
import { sealsOfAccounts } from "./migrations/0017-seals-of-accounts.ts";
import { recovery } from "./migrations/0018-recovery.ts";
import { paymentRequests } from "./migrations/0019-payment-requests.ts";
import { withdrawnAttempts } from "./migrations/0020-withdrawn-attempts.ts";
import { bankAccountSet } from "./migrations/0021-bank-account-set.ts";
import { searchWords } from "./migrations/0022-search-words.ts";

const migrations: Record<string, string> = {
  "0001_core": core,
  "0002_money": money,
  "0003_risk": risk,
  "0004_keys_and_limits": keysAndLimits,
  "0005_webhooks": webhooks,
  "0006_embed": embed,
  "0007_three_d_secure": threeDSecure,
  "0008_session_look": sessionLook,
  "0009_card_network": cardNetwork,
  "0010_logins": logins,
  "0011_audit_chain": auditChain,
  "0012_underwriting": underwriting,
  "0014_dashboard_indexes": dashboardIndexes,
  "0013_request_log": requestLog,
  "0015_account_settings": accountSettings,
  "0016_acquirer": acquirer,
  "0017_seals_of_accounts": sealsOfAccounts,
  "0018_recovery": recovery,
  "0019_payment_requests": paymentRequests,
  "0020_withdrawn_attempts": withdrawnAttempts,
  "0021_bank_account_set": bankAccountSet,
  "0022_search_words": searchWords,
  ...vaultMigrations,
};

/** The names of all migrations, sorted. They identify the version of the schema. */
export const migrationNames: readonly string[] = Object.keys(migrations).sort();

export async function migrate({ db, choice }: Pick<Database, "db" | "choice">): Promise<void> {
  // Return early, so that a role without permission to change tables can start.
  if ((await pendingMigrations(db)).length === 0) return;
  // Changing a large table takes time, and other processes that start meanwhile wait for it.
  const patient = choice.kind === "postgres" ? openWithoutTimeLimits(choice.url) : db;
  // The first failure is the cause. Kysely reports the error from its cleanup.
  const failures: { name: string; error: unknown }[] = [];
  const migrator = migratorOf(patient, (name, error) => void failures.push({ name, error }));
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
export async function pendingMigrations(db: Db): Promise<string[]> {
  const known = await migratorOf(db).getMigrations();
  return known.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}

function migratorOf(db: Db, hasFailed: (name: string, error: unknown) => void = () => {}): Migrator {
  const provider = {
    getMigrations: async () =>
      Object.fromEntries(
        Object.entries(migrations).map(([name, statements]) => [
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
