/** Commands that manage access to the operator console. */
import { Check } from "typebox/value";
import { table, type Command } from "@oriel/commands";
import { OperatorError } from "@oriel/commands/operator-error";
import { Email } from "@oriel/protocol/dashboard/sign-in";
import { faultOfName } from "../merchants/emails/check-name.ts";
import { createOperator, listOperators, removeOperator } from "../merchants/members/operators.ts";
import { readDashboardOrigin } from "../platform/config.ts";
import { setUpLink } from "./user.ts";
import { withDatabase } from "./with-database.ts";

export const operatorCommands: Command[] = [
  {
    name: "operator create",
    takes: ["EMAIL"],
    options: { name: { value: "NAME" } },
    summary: "Give someone access to the operator console",
    details: `Prints a link with which the person chooses a password and sets up an authenticator app. The link works once, within
24 hours. To get a new one, run the command again. If the person already has a user with an authenticator app, there
is no link, and they sign in as before. An operator can't be a member of a merchant's team.

Options
  --name  the person's name, if they don't have a user yet (default: the first part of the email address)`,
    run: async ({ args: [typed = ""], option, env, now, actor, print }) => {
      const email = typed.trim();
      if (!Check(Email, email)) throw new OperatorError(`${JSON.stringify(typed)} isn't an email address.`);
      const name = option("name")?.trim() ?? email.slice(0, email.indexOf("@"));
      const fault = faultOfName(name);
      if (fault !== null) throw new OperatorError(`The name ${fault}. Choose one with --name.`);
      const dashboard = readDashboardOrigin(env);
      const { linkToken } = await withDatabase(env, ({ db }) => createOperator(db, { email, name }, now(), actor));
      if (linkToken === null) return print(`${email} is an operator and can sign in at ${dashboard}.`);
      print(`${email} is an operator. ${setUpLink(dashboard, linkToken)}`);
    },
  },
  {
    name: "operator list",
    takes: [],
    options: {},
    summary: "List operators",
    run: async ({ env, print }) => {
      const operators = await withDatabase(env, ({ db }) => listOperators(db));
      const rows = operators.map(({ email, name, hasSecondFactor, created_at }) => [
        email,
        hasSecondFactor ? "set up" : "missing",
        created_at.toISOString().slice(0, 10),
        name,
      ]);
      print(table([["email", "second factor", "since", "name"], ...rows]));
    },
  },
  {
    name: "operator remove",
    takes: ["EMAIL"],
    options: {},
    summary: "Revoke a user's access to the operator console",
    run: async ({ args: [email = ""], env, now, actor, print }) => {
      const { needsReset } = await withDatabase(env, ({ db }) => removeOperator(db, email, now(), actor));
      print(`${email} is no longer an operator.`);
      if (needsReset)
        print(
          `The user can't sign in until you create a link with \`oriel-server user reset ${email}\`, because they haven't used the one from \`operator create\`.`,
        );
    },
  },
];
