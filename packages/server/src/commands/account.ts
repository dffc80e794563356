/** Commands that manage merchant accounts. */
import { resolve } from "node:path";
import pino from "pino";
import { Check } from "typebox/value";
import { table, type Command } from "@oriel/commands";
import { OperatorError } from "@oriel/commands/operator-error";
import { Email } from "@oriel/protocol/dashboard/sign-in";
import {
  createAccount,
  findAccountNo,
  listAccounts,
  setAccountStatus,
  type AccountStatus,
} from "../merchants/accounts/accounts.ts";
import { createApiKey } from "../merchants/accounts/api-keys.ts";
import { faultOfName } from "../merchants/emails/check-name.ts";
import { createMailer } from "../merchants/emails/mailer.ts";
import { emailOwners } from "../merchants/members/email-owners.ts";
import { nameOwner, refuseOperator } from "../merchants/members/name-owner.ts";
import { underwritingEmails } from "../merchants/underwriting/emails.ts";
import { readDashboardOrigin, readDataDir, readMailChoice } from "../platform/config.ts";
import { newId } from "../platform/ids.ts";
import { messageOf } from "../platform/message-of.ts";
import { migrate } from "../platform/storage/migrate.ts";
import { storedFunctions } from "../stored-functions.ts";
import { openOwnersEmailContext } from "./email-context.ts";
import { withAnyDatabase, withDatabase } from "./with-database.ts";

export const accountCommands: Command[] = [
  {
    name: "account create",
    takes: ["NAME"],
    options: { owner: { value: "EMAIL" } },
    summary: "Create an account and print its test key",
    details: `The key is shown only once. The command also updates the database schema if needed.
Create live keys with \`oriel-server key create --live\` once the account is approved for live mode.

Options
  --owner  who manages the account in the dashboard: an existing user becomes its owner, anyone else gets an invitation`,
    run: async ({ args: [typed = ""], option, env, now, actor, print, log }) => {
      const name = typed.trim().slice(0, 200);
      if (name === "") throw new OperatorError('The name is empty. Usage: oriel-server account create "Shop name"');
      const fault = faultOfName(name);
      if (fault !== null) throw new OperatorError(`The name ${fault}.`);
      const owner = option("owner")?.trim() ?? null;
      if (owner !== null && !Check(Email, owner))
        throw new OperatorError(`--owner is ${JSON.stringify(owner)}, but it must be an email address.`);
      // Everything is read first, so that a mistake in a variable doesn't leave an account without its owner.
      const [dashboard, mail, dataDir] = [readDashboardOrigin(env), readMailChoice(env), readDataDir(env)];
      return await withAnyDatabase(env, async (database) => {
        const { db } = database;
        await migrate(database, storedFunctions);
        if (owner !== null) await refuseOperator(db, owner);
        const { id, accountNo } = await createAccount(db, name, now(), actor);
        const { secretKey } = await createApiKey(db, { accountNo, livemode: false }, now(), { actor });
        print(`account     ${id}\nsecret key  ${secretKey}\n\nThe key won't be shown again.`);
        if (owner === null) return;
        const invitation = await nameOwner(db, { accountNo, name }, owner, dashboard, now(), actor);
        if (invitation === null) return print(`${owner} is its owner now and can sign in at ${dashboard}.`);
        const terms = `The link works once, within seven days, for a user with the address ${owner}.`;
        if (mail.smtpUrl === null) {
          return print(`No email was sent, because SMTP_URL isn't set. Send this link to ${owner}, who signs up or signs in with it and becomes the owner:

${invitation.link}

${terms} Without SMTP_URL, the service writes emails, such as the one that confirms an address, to ${resolve(dataDir, "mail")}.`);
        }
        const mailer = createMailer(mail, { dataDir, log: pino({ level: "silent" }) });
        try {
          await mailer.send(newId("mail", now()), invitation.email);
          print(
            `We emailed ${owner} an invitation. They sign up or sign in with its link and become the owner. ${terms}`,
          );
        } catch (error) {
          const reason = messageOf(error);
          log(
            `The invitation couldn't be emailed (${reason}). Check SMTP_URL. Send this link to ${owner} yourself:\n\n${invitation.link}\n\n${terms}`,
          );
          return 1;
        } finally {
          mailer.close();
        }
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
    details: "The account's owners get an email.",
    run: async ({ args: [id = ""], env, now, actor, print, log }) => {
      await withDatabase(env, async ({ db }) => {
        const emailContext = await openOwnersEmailContext(env, db, await findAccountNo(db, id), now, log);
        await setAccountStatus(db, id, status, now(), actor, {
          notifyOwners: async (tx, accountNo) => {
            if (emailContext === null) return;
            const write = underwritingEmails(emailContext.config.dashboardOrigin).account[status];
            await emailOwners(emailContext, tx, accountNo, (accountName) => write({ accountName, reason: null }));
          },
        });
      });
      print(`${id} is ${status}.`);
    },
  };
}
