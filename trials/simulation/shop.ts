/** A shop: an account with a secret key, and its own merchant account at the acquirer. */
import type { Context } from "../../packages/server/src/http/context.ts";
import { createAccount } from "../../packages/server/src/merchants/accounts/accounts.ts";
import { setAcquirerAccount } from "../../packages/server/src/merchants/accounts/acquirer-accounts.ts";
import { createApiKey } from "../../packages/server/src/merchants/accounts/api-keys.ts";
import { acquirerFor } from "../../packages/server/src/merchants/accounts/live-mode.ts";
import type { PglitePool } from "../../packages/server/src/platform/storage/pglite-pool.ts";
import type { Tenant } from "../../packages/server/src/platform/tenant.ts";

export interface Shop {
  tenant: Tenant;
  secretKey: string;
  acquirerAccountId: string;
  /** Whether the acquirer keeps the rest of a partial capture reserved. */
  multiplePartialCaptures: boolean;
}

/** Signs the acquirer's notifications. */
export const hmacKey = "5a".repeat(32);
export const merchantAccount = "Shop";

export async function openShop(context: Context, multiplePartialCaptures: boolean): Promise<Shop> {
  const { accountNo } = await createAccount(context.db, merchantAccount, context.now());
  const tenant: Tenant = { accountNo, livemode: false };
  const { secretKey } = await createApiKey(context.db, tenant, context.now());
  // No acquirer is simulated yet that could be asked.
  const vault = { ...context.vault, tryOut: async () => {} };
  const { id } = await setAcquirerAccount(
    { ...context, vault },
    tenant,
    {
      connector: "adyen",
      settings: {
        merchant_account: merchantAccount,
        api_url: "https://checkout-test.adyen.com/v72",
        multiple_partial_captures: multiplePartialCaptures,
      },
      credentials: { api_key: "not-checked-by-the-simulation", hmac_keys: [hmacKey] },
    },
    "simulation",
  );
  // Opens the connection now, so that no process does it that dies meanwhile.
  if ((await acquirerFor(context, tenant, id)) === null) throw new Error("Bug: the acquirer account can't be used");
  return { tenant, secretKey, acquirerAccountId: id, multiplePartialCaptures };
}

/** Creates a function in the database for {@link emptyShop}. It turns off triggers and foreign keys while it runs. */
export async function createEmptyShop(pool: PglitePool): Promise<void> {
  const { rows } = await pool.query(
    `select format('%I.%I', table_schema, table_name) as name
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where column_name = 'account_no' and table_schema in ('public', 'vault') and table_type = 'BASE TABLE'
       and table_name not in ('account', 'api_key', 'acquirer_account', 'credentials', 'audit_log')`,
  );
  const deletions = rows.map(({ name }) => `delete from ${String(name)} where account_no = emptied;`);
  await pool.query(
    `create function simulation_empty(emptied bigint) returns void language plpgsql
     set session_replication_role = replica as $$
     begin
       ${deletions.join(" ")}
       update api_key set first_used_at = null, last_used_at = null where account_no = emptied;
     end $$`,
  );
}

/** Deletes everything that happened in a shop, so that no world affects the next. */
export async function emptyShop(pool: PglitePool, { tenant }: Shop): Promise<void> {
  await pool.query("select simulation_empty($1)", [tenant.accountNo]);
}
