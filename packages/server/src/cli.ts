#!/usr/bin/env node
/** `oriel`: runs the service and looks after it. */
import { parseArgs } from "node:util";
import { ConfigError, readConfig, type Config } from "./config.ts";
import { serve } from "./main.ts";
import { openDatabase } from "./storage/database.ts";
import { migrate } from "./storage/migrate.ts";

const help = `Usage: oriel <command> [options]

Commands
  serve [--role api|worker|all]   run the service (default: all)
  migrate                         bring the database's tables up to date

Options
  --help                          show this

The environment configures it: DATABASE_URL, ORIEL_PORT, ORIEL_CHECKOUT_ORIGIN, ... See .env.example.
`;

const roles = ["api", "worker", "all"] as const;

try {
  await run(process.argv.slice(2));
} catch (error) {
  // A mistake in how it was called or configured needs its sentence, not a stack.
  const expected =
    error instanceof ConfigError ||
    (error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"));
  console.error(expected && error instanceof Error ? `oriel: ${error.message}` : error);
  process.exitCode = expected ? 2 : 1;
}

async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { role: { type: "string" }, help: { type: "boolean" } },
  });
  const [command] = positionals;
  if (values.help || command === undefined) {
    console.log(help);
    return;
  }
  switch (command) {
    case "serve":
      return await serve(readConfig(process.env, readRole(values.role)));
    case "migrate": {
      const database = await openDatabase(readConfig(process.env).database);
      await migrate(database.db);
      await database.close();
      console.log("The tables are up to date.");
      return;
    }
    default:
      throw new ConfigError(`There is no command ${JSON.stringify(command)}. See oriel --help.`);
  }
}

function readRole(text = "all"): Config["role"] {
  const role = roles.find((known) => known === text);
  if (role === undefined) throw new ConfigError(`--role is ${JSON.stringify(text)}; it must be one of ${roles.join(", ")}.`);
  return role;
}
