#!/usr/bin/env node
/** `oriel`: runs the service and looks after it. */
import { parseArgs } from "node:util";
import { createAccount } from "./accounts/accounts.ts";
import { createApiKey } from "./accounts/api-keys.ts";
import { ConfigError, readConfig, readDatabaseChoice, type Config } from "./config.ts";
import { explain, isMistake } from "./explain.ts";
import { serve } from "./serve.ts";
import { openDatabase, type Db } from "./storage/database.ts";
import { migrate } from "./storage/migrate.ts";

const help = `Usage: oriel <command> [options]

Commands
  serve [--role api|worker|all]   run the service (default: all)
  migrate                         bring the database's tables up to date
  account create NAME             make an account and print its test key, for the only time

Options
  --help                          show this

The environment configures it: DATABASE_URL, ORIEL_PORT, ORIEL_CHECKOUT_ORIGIN, ... See .env.example.
`;

const roles = ["api", "worker", "all"] as const;

try {
  await run(process.argv.slice(2));
} catch (error) {
  const mistake = isMistake(error);
  console.error(mistake ? `oriel: ${String(explain(error))}` : error);
  process.exitCode = mistake ? 2 : 1;
}

async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { role: { type: "string" }, help: { type: "boolean" } },
  });
  const [command, ...rest] = positionals;
  if (values.help || command === undefined) {
    console.log(help);
    return;
  }
  switch (command) {
    case "serve":
      return await serve(readConfig(process.env, readRole(values.role)));
    case "migrate":
      return await withDatabase(async () => console.log("The tables are up to date."));
    case "account":
      return await createAccountNamed(rest);
    default:
      throw new ConfigError(`There is no command ${JSON.stringify(command)}. See oriel --help.`);
  }
}

async function createAccountNamed([verb, name, ...rest]: string[]): Promise<void> {
  if (verb !== "create" || name === undefined || name.trim() === "" || rest.length > 0) {
    throw new ConfigError('Say `oriel account create "Name of the shop"`.');
  }
  await withDatabase(async (db) => {
    const now = new Date();
    const accountId = await createAccount(db, name.trim().slice(0, 200), now);
    const key = await createApiKey(db, { accountId, livemode: false }, now);
    console.log(`account     ${accountId}\nsecret key  ${key}\n\nThe key is not shown again.`);
  });
}

/** With the tables up to date. */
async function withDatabase(work: (db: Db) => Promise<void>): Promise<void> {
  const database = await openDatabase(readDatabaseChoice(process.env));
  try {
    await migrate(database.db);
    await work(database.db);
  } finally {
    await database.close();
  }
}

function readRole(text = "all"): Config["role"] {
  const role = roles.find((known) => known === text);
  if (role === undefined) throw new ConfigError(`--role is ${JSON.stringify(text)}; it must be one of ${roles.join(", ")}.`);
  return role;
}
