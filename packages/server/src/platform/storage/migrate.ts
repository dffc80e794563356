/**
 * Runs the pending migrations: numbered, forward-only, each once, and safe if several processes start at the same time.
 * Then creates the functions that are missing (`stored-function.ts`).
 *
 * Processes of the earlier version run meanwhile and afterwards, until they're restarted. So a migration may add
 * tables, optional columns and columns with a default, and loosen constraints. `migrate.test.ts` refuses statements
 * that break earlier versions. What the earlier version still uses is dropped one release later.
 */
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { OperatorError } from "@oriel/commands/operator-error";
import { vaultMigrations } from "@oriel/vault";
import { asLoss, asRefusal } from "./database-loss.ts";
import { openWithoutTimeLimits, type Database, type Db } from "./database.ts";
import {
  delegate,
  distribute,
  isDistributed,
  mayDistribute,
  undelegated,
  undistributed,
  useOneConnection,
} from "./distribute.ts";
import { accounts } from "./schema/accounts.ts";
import { acquirerAccounts } from "./schema/acquirer-accounts.ts";
import { acquirerDetails } from "./schema/acquirer-details.ts";
import { attentionAndDisputeLookups } from "./schema/attention-and-dispute-lookups.ts";
import { audit } from "./schema/audit.ts";
import { cardTesting } from "./schema/card-testing.ts";
import { customers, customersOfCards } from "./schema/customers.ts";
import { distributable } from "./schema/distributable.ts";
import { emails } from "./schema/emails.ts";
import { everyAttemptInLedger } from "./schema/every-attempt-in-ledger.ts";
import { invitationsByEmail } from "./schema/invitations-by-email.ts";
import { lateEmails } from "./schema/late-emails.ts";
import { lateSuccesses } from "./schema/late-successes.ts";
import { payments } from "./schema/payments.ts";
import { plainChargeTrigger } from "./schema/plain-charge-trigger.ts";
import { plainColumnNames } from "./schema/plain-column-names.ts";
import { plainLedgerTrigger } from "./schema/plain-ledger-trigger.ts";
import { promotionCodes } from "./schema/promotion-codes.ts";
import { requests } from "./schema/requests.ts";
import { risk } from "./schema/risk.ts";
import { search } from "./schema/search.ts";
import { sentAsRefund } from "./schema/sent-as-refund.ts";
import { sessionVersions } from "./schema/session-versions.ts";
import { signIn } from "./schema/sign-in.ts";
import { tokenReserve } from "./schema/token-reserve.ts";
import { underwriting } from "./schema/underwriting.ts";
import { webhooks } from "./schema/webhooks.ts";
import { withoutCvc } from "./schema/without-cvc.ts";
import { zeroTotals } from "./schema/zero-totals.ts";
import { splitStatements } from "./split-statements.ts";
import { missingFunctions, type StoredFunction } from "./stored-function.ts";

const first = "0001_first";
const firstOfVault = "0001_vault";
type Migrations = Record<string, string>;

/** Exported for tests. */
export const serviceMigrations: Migrations = {
  // In the order in which they refer to each other.
  [first]: [accounts, signIn, underwriting, audit, payments, risk, requests, webhooks, search].join("\n"),
  "0002_card_testing": cardTesting,
  "0003_acquirer_details": acquirerDetails,
  "0004_acquirer_accounts": acquirerAccounts,
  "0005_plain_ledger_trigger": plainLedgerTrigger,
  "0006_late_successes": lateSuccesses,
  "0007_every_attempt_in_ledger": everyAttemptInLedger,
  "0008_without_cvc": withoutCvc,
  "0009_attention_and_dispute_lookups": attentionAndDisputeLookups,
  "0010_token_reserve": tokenReserve,
  "0011_sent_as_refund": sentAsRefund,
  "0012_emails": emails,
  "0013_invitations_by_email": invitationsByEmail,
  "0014_late_emails": lateEmails,
  "0015_plain_column_names": plainColumnNames,
  "0017_distributable": distributable,
  "0018_plain_charge_trigger": plainChargeTrigger,
  "0019_session_versions": sessionVersions,
  "0020_zero_totals": zeroTotals,
  "0021_promotion_codes": promotionCodes,
  "0022_customers": customers,
  "0023_customers_of_cards": customersOfCards,
};

/** The names of all migrations, sorted. They identify the version of the schema. */
export const migrationNames: readonly string[] = Object.keys({ ...serviceMigrations, ...vaultMigrations }).sort();

/** The migrations of one database. */
interface Part {
  db: Db;
  /** For a connection without time limits. Undefined on PGlite, which has none. */
  url: string | undefined;
  migrations: Migrations;
  /** Where the list of executed migrations is. */
  schema: "public" | "vault";
  /** Whether to distribute new tables after each migration, because the next one may refer to them. */
  distributes?: boolean;
}

type Databases = Pick<Database, "db" | "vaultDb" | "choice" | "engine">;

/**
 * @param functions those of `stored-functions.ts`
 * @param later for tests: the service's migrations of a later version
 * @throws OperatorError if the role isn't allowed to, or the database is lost
 */
export async function migrate(
  databases: Databases,
  functions: readonly StoredFunction[],
  later: Migrations = {},
): Promise<void> {
  await addMissing(databases, functions, later).catch((error: unknown) => {
    throw asRefusal(error, databases, "Run `oriel-server migrate` with the role that owns the tables.");
  });
}

async function addMissing(
  databases: Databases,
  functions: readonly StoredFunction[],
  later: Migrations,
): Promise<void> {
  // Does nothing if nothing is missing, so that a role without permission to change tables can start. So can a process of
  // an earlier version.
  const { db, engine } = databases;
  const isCluster = engine === "citus";
  if ((await pendingMigrations(databases, later)).length > 0) {
    const wasDistributed = isCluster && (await isDistributed(db));
    for (const part of partsOf(databases, later))
      await migratePart({ ...part, distributes: wasDistributed && part.schema === "public" });
  }
  await createMissing(db, functions);
  if (isCluster && (await mayDistribute(db))) await distributeDatabase(databases, functions);
}

/** Any number that no other lock of the service has. */
const functionsLock = 7_103_482_207;

async function createMissing(db: Db, functions: readonly StoredFunction[]): Promise<void> {
  if ((await missingFunctions(db, functions)).length === 0) return;
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${functionsLock})`.execute(tx);
    // Another process may have created them meanwhile.
    for (const { create } of await missingFunctions(tx, functions)) await sql.raw(create).execute(tx);
  });
}

/**
 * Distributes the tables in a Citus cluster, and lets functions run on the workers.
 *
 * @throws OperatorError if it isn't one
 */
export async function distributeDatabase(databases: Databases, functions: readonly StoredFunction[]): Promise<void> {
  const { db, choice, engine } = databases;
  if (engine !== "citus" || choice.kind !== "postgres")
    throw new OperatorError("DATABASE_URL doesn't lead to the coordinator of a Citus cluster with workers.");
  if ((await undistributed(db)).length > 0) await distributeTables(choice.url);
  if ((await undelegated(db, functions)).length > 0) await db.transaction().execute((tx) => delegate(tx, functions));
}

async function distributeTables(url: string): Promise<void> {
  const patient = openWithoutTimeLimits(url);
  try {
    await patient.transaction().execute(distribute);
  } catch (error) {
    throw asLoss(error, "while the tables were distributed", "They're distributed in one transaction, so none was.");
  } finally {
    await patient.destroy();
  }
}

/**
 * Returns the names of what {@link migrate} would add: migrations and functions. Changes nothing.
 *
 * @throws OperatorError as {@link pendingMigrations}
 */
export async function pendingChanges(databases: Databases, functions: readonly StoredFunction[]): Promise<string[]> {
  const missing = await missingFunctions(databases.db, functions);
  return [...(await pendingMigrations(databases)), ...missing.map(({ storedName }) => storedName)];
}

/**
 * Returns the names of the migrations that haven't run yet. Changes nothing.
 *
 * @throws OperatorError if the vault's tables are in another database, so that a wrong URL doesn't create an empty vault
 */
export async function pendingMigrations(databases: Databases, later: Migrations = {}): Promise<string[]> {
  if (databases.vaultDb !== null && (await hasVault(databases.db)))
    throw new OperatorError(
      "The vault's tables are in the database in DATABASE_URL, but VAULT_DATABASE_URL is another database. Set VAULT_DATABASE_URL to the same database. To move the vault, restore a backup into two new databases.",
    );
  const pending: string[] = [];
  // The vault's tables are created first and read last, so that this works during another process's first start.
  for (const part of partsOf(databases, later).reverse()) {
    const known = await migratorOf(part).getMigrations();
    pending.push(...known.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name));
  }
  if (pending.includes(firstOfVault) && !pending.includes(first))
    throw new OperatorError(
      "The service's tables exist, but the vault's tables don't. Set VAULT_DATABASE_URL to the database with the vault's tables.",
    );
  return pending;
}

/** The vault comes first. If its tables can't be created, the service's aren't created either. */
function partsOf({ db, vaultDb, choice }: Databases, later: Migrations): Part[] {
  const { url, vaultUrl } = choice.kind === "postgres" ? choice : {};
  const ofService = { db, url, schema: "public" } as const;
  if (vaultDb === null) return [{ ...ofService, migrations: { ...serviceMigrations, ...vaultMigrations, ...later } }];
  return [
    { db: vaultDb, url: vaultUrl, migrations: vaultMigrations, schema: "vault" },
    { ...ofService, migrations: { ...serviceMigrations, ...later } },
  ];
}

async function hasVault(db: Db): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_namespace where nspname = 'vault'`.execute(db);
  return rows.length > 0;
}

/** How often migrations are tried if they and a payment wait for each other's locks. */
const maxTries = 5;

async function migratePart(part: Part, tries = 1): Promise<void> {
  // Changing a large table takes time, and other processes that start meanwhile wait for it.
  const unlimitedDb = part.url === undefined ? part.db : openWithoutTimeLimits(part.url);
  // The first failure is the cause. Kysely reports the error from its cleanup.
  const failures: { name: string; error: unknown }[] = [];
  const migrator = migratorOf({ ...part, db: unlimitedDb }, (name, error) => void failures.push({ name, error }));
  try {
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  } catch (error) {
    const [failed] = failures;
    const { code } = (failed?.error ?? error) as { code?: unknown }; // of PostgreSQL
    if (code === "40P01" && tries < maxTries) return await migratePart(part, tries + 1);
    const when = failed === undefined ? "during the migrations" : `during the migration ${failed.name}`;
    const consequence = "All migrations of a database run in one transaction, so none was applied.";
    throw asLoss(failed?.error ?? error, when, consequence);
  } finally {
    if (unlimitedDb !== part.db) await unlimitedDb.destroy();
  }
}

function migratorOf(
  { db, migrations, schema, distributes = false }: Part,
  hasFailed: (name: string, error: unknown) => void = () => {},
): Migrator {
  const provider = {
    getMigrations: async () =>
      Object.fromEntries(
        Object.entries(migrations).map(([name, statements]) => [
          name,
          {
            async up(tx: Db) {
              try {
                if (distributes) await useOneConnection(tx);
                for (const text of distributes ? splitStatements(statements) : [statements])
                  await sql.raw(text).execute(tx);
                if (distributes) await distribute(tx);
              } catch (error) {
                hasFailed(name, error);
                throw error;
              }
            },
          },
        ]),
      ),
  };
  return new Migrator({ db, provider, ...(schema === "vault" && { migrationTableSchema: schema }) });
}
