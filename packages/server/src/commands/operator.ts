/** `oriel operator ...` Who works in the operator's console. */
import { createOperator, listOperators, removeOperator } from "../merchants/members/operators.ts";
import { table, type Command } from "./command.ts";
import { withDatabase } from "./with-database.ts";

export const operatorCommands: Command[] = [
  {
    name: "operator create",
    takes: ["EMAIL"],
    options: {},
    summary: "let a login work in the operator's console",
    details:
      "They sign up at the dashboard first, without an account, and confirm their address. An operator is of no team, and the console opens once they have an authenticator app.",
    run: async ({ args: [email = ""], env, now, actor, print }) => {
      await withDatabase(env, ({ db }) => createOperator(db, email, now(), actor));
      print(`${email} is an operator.`);
    },
  },
  {
    name: "operator list",
    takes: [],
    options: {},
    summary: "list the operators",
    run: async ({ env, print }) => {
      const operators = await withDatabase(env, ({ db }) => listOperators(db));
      const rows = operators.map(({ email, name, hasSecondFactor, created_at }) => [
        email,
        hasSecondFactor ? "set up" : "missing",
        created_at.toISOString().slice(0, 10),
        name,
      ]);
      print(table([["address", "second factor", "since", "name"], ...rows]));
    },
  },
  {
    name: "operator remove",
    takes: ["EMAIL"],
    options: {},
    summary: "close the operator's console to a login, from its next request on",
    run: async ({ args: [email = ""], env, now, actor, print }) => {
      await withDatabase(env, ({ db }) => removeOperator(db, email, now(), actor));
      print(`${email} is no operator any more.`);
    },
  },
];
