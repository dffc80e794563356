/** Commands that manage access to the operator console. */
import { createOperator, listOperators, removeOperator } from "../merchants/members/operators.ts";
import { table, type Command } from "@oriel/commands";
import { withDatabase } from "./with-database.ts";

export const operatorCommands: Command[] = [
  {
    name: "operator create",
    takes: ["EMAIL"],
    options: {},
    summary: "Grant a user access to the operator console",
    details: `The user must first sign up in the dashboard without creating an account, confirm their email and set up an
authenticator app. An operator can't be a member of a merchant's team.`,
    run: async ({ args: [email = ""], env, now, actor, print }) => {
      await withDatabase(env, ({ db }) => createOperator(db, email, now(), actor));
      print(`${email} is now an operator.`);
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
      await withDatabase(env, ({ db }) => removeOperator(db, email, now(), actor));
      print(`${email} is no longer an operator.`);
    },
  },
];
