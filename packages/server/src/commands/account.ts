/** Commands that manage merchant accounts. */
import { createAccount, listAccounts, setAccountStatus, type AccountStatus } from "../merchants/accounts/accounts.ts";
import { createApiKey } from "../merchants/accounts/api-keys.ts";
import { faultOfName } from "../merchants/mail/check-name.ts";
import { OperatorError } from "@oriel/commands/operator-error";
import { migrate } from "../platform/storage/migrate.ts";
import { table, type Command } from "@oriel/commands";
import { withAnyDatabase, withDatabase } from "./with-database.ts";

export const accountCommands: Command[] = [
  {
    name: "account create",
    takes: ["NAME"],
    options: {},
    summary: "Create an account and print its test key",
    details: `The key is shown only once. The command also updates the database schema if needed.
Create live keys with \`oriel-server key create --live\` once the account is approved for live mode.`,
    run: async ({ args: [name = ""], env, now, actor, print }) => {
      if (name.trim() === "")
        throw new OperatorError('The name is empty. Usage: oriel-server account create "Shop name"');
      const fault = faultOfName(name);
      if (fault !== null) throw new OperatorError(`The name ${fault}.`);
      await withAnyDatabase(env, async (database) => {
        const { db } = database;
        await migrate(database);
        const accountId = await createAccount(db, name.trim().slice(0, 200), now(), actor);
        const { secretKey } = await createApiKey(db, { accountId, livemode: false }, now(), { actor });
        print(`account     ${accountId}\nsecret key  ${secretKey}\n\nThe key won't be shown again.`);
      });
    },
  },
  {
    name: "account list",
    takes: [],
    options: {},
    summary: "List accounts",
    run: async ({ env, print }) => {
      const accounts = await withDatabase(env, ({ db }) => listAccounts(db));
      const rows = accounts.map(({ id, status, live_approved_at, created_at, name }) => [
        id,
        status,
        live_approved_at === null ? "test only" : "test and live",
        created_at.toISOString().slice(0, 10),
        name,
      ]);
      print(table([["account", "status", "modes", "created", "name"], ...rows]));
    },
  },
  statusCommand("suspend", "suspended", "Suspend an account so that its keys stop working"),
  statusCommand("resume", "active", "Reactivate a suspended account"),
];

function statusCommand(verb: string, status: AccountStatus, summary: string): Command {
  return {
    name: `account ${verb}`,
    takes: ["ACCOUNT"],
    options: {},
    summary,
    run: async ({ args: [id = ""], env, now, actor, print }) => {
      await withDatabase(env, ({ db }) => setAccountStatus(db, id, status, now(), actor));
      print(`${id} is ${status}.`);
    },
  };
}
