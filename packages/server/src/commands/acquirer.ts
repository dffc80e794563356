/** Commands that manage accounts' own acquirers. */
import { text } from "node:stream/consumers";
import { Check } from "typebox/value";
import { table, type Command } from "@oriel/commands";
import { OperatorError } from "@oriel/commands/operator-error";
import { SetAcquirerAccount } from "@oriel/protocol/dashboard/acquirers";
import { AcquirerAccountError, createAcquirerCredentials, readKeyring } from "@oriel/vault";
import { findAccountNo } from "../merchants/accounts/accounts.ts";
import { listAcquirerAccounts, notificationUrl, setAcquirerAccount } from "../merchants/accounts/acquirer-accounts.ts";
import { auditVault } from "../merchants/audit/audit-vault.ts";
import { keyFiles, readApiUrl, readConnectorHosts, readKeyDir } from "../platform/config.ts";
import { ApiError } from "../platform/errors.ts";
import { openOwnersEmailContext } from "./email-context.ts";
import { withDatabase } from "./with-database.ts";

export const acquirerCommands: Command[] = [
  {
    name: "acquirer set",
    takes: ["ACCOUNT"],
    options: {},
    summary: "Connect an account to its own account at a vendor",
    details: `Reads JSON from the standard input, so that credentials aren't in the shell's history:

  {
    "livemode": true,
    "connector": "adyen",
    "settings": {
      "merchant_account": "KilnAndClayECOM",
      "api_url": "https://1797a841fbb37ca7-KilnAndClay-checkout-live.adyenpayments.com/checkout/v72"
    },
    "credentials": { "api_key": "...", "hmac_keys": ["..."] }
  }

The API URL must be on a host of the vendor, or on one in ORIEL_ADYEN_HOSTS. Before anything is saved, a request that
moves no money checks that the settings and credentials work.

With the same merchant account, settings and credentials change, for existing payments too. You can then leave out the
credentials, unless the API URL is on another host. With another merchant account, new payments are made with that one,
and existing payments keep the old one.

To change the settings and credentials of a replaced acquirer account, add its "id" from \`oriel-server acquirer list\`. The
merchant account must stay the same. Only the payments that were made with it use it.

All processes use a change within a minute. The account's owners get an email.`,
    run: async ({ args: [accountId = ""], env, now, actor, print, log }) => {
      const entered = readEntered(await text(process.stdin));
      const { livemode, ...acquirer } = entered;
      const { id, change, isCurrent } = await withDatabase(env, async ({ db, vaultPool }) => {
        const tenant = { accountNo: await findAccountNo(db, accountId), livemode };
        const vault = createAcquirerCredentials({
          db: vaultPool,
          keyring: readKeyring(keyFiles(readKeyDir(env)).vault),
          connections: { moreHosts: readConnectorHosts(env) },
          now,
          audit: auditVault({ db, now }, actor),
        });
        const uncached = { forget: () => {} };
        const emailContext = await openOwnersEmailContext(env, db, tenant.accountNo, now, log);
        return await setAcquirerAccount(
          { db, vault, now, acquirerAccounts: uncached },
          tenant,
          acquirer,
          actor,
          emailContext,
        );
      }).catch(asOperatorError);
      const only = isCurrent ? "" : " Only payments that were made with it use it.";
      print(`${id} is ${change}.${only} Its notification URL is ${notificationUrl(readApiUrl(env), id)}`);
    },
  },
  {
    name: "acquirer list",
    takes: ["ACCOUNT"],
    options: {},
    summary: "List an account's own acquirers, without their credentials",
    run: async ({ args: [accountId = ""], env, print }) => {
      const listed = await withDatabase(env, async ({ db }) =>
        listAcquirerAccounts(db, await findAccountNo(db, accountId), readApiUrl(env)),
      );
      const rows = listed.map(({ id, livemode, connector, settings, replaced }) => [
        id,
        livemode ? "live" : "test",
        replaced === null ? "current" : "replaced",
        connector,
        JSON.stringify(settings),
      ]);
      print(table([["acquirer account", "mode", "status", "connector", "settings"], ...rows]));
    },
  },
];

/** The error doesn't quote the input, which has credentials. */
function readEntered(input: string): SetAcquirerAccount {
  let entered: unknown;
  try {
    entered = JSON.parse(input);
  } catch {
    throw new OperatorError("The standard input isn't JSON. See `oriel-server acquirer set --help`.");
  }
  if (Check(SetAcquirerAccount, entered)) return entered;
  throw new OperatorError(
    "The input must have `livemode`, `connector`, `settings` and `credentials`, and may have `id`. See `oriel-server acquirer set --help`.",
  );
}

function asOperatorError(error: unknown): never {
  if (error instanceof AcquirerAccountError) throw new OperatorError(error.message);
  if (error instanceof ApiError && error.code === "resource_missing")
    throw new OperatorError(`${error.message} Compare the ID and mode with \`oriel-server acquirer list\`.`);
  throw error;
}
