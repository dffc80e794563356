#!/usr/bin/env node
/**
 * The `oriel` command line. Finds the command, parses its arguments and runs it. Errors that the operator can fix are
 * printed without a stack trace.
 */
import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { nameAndArguments, table, usageOf, type Command } from "./commands/command.ts";
import { OperatorError } from "./platform/operator-error.ts";
import { describeError, isMistake } from "./platform/describe-error.ts";

/**
 * Commands by the first word of their name, in the order `--help` lists them. They're loaded on demand, because most
 * commands need only a small part of the service.
 */
const commandsBy: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  serve: async () => [(await import("./commands/serve.ts")).serveCommand],
  migrate: async () => [(await import("./commands/migrate.ts")).migrateCommand],
  account: async () => (await import("./commands/account.ts")).accountCommands,
  operator: async () => (await import("./commands/operator.ts")).operatorCommands,
  key: async () => (await import("./commands/key.ts")).keyCommands,
  vault: async () => [(await import("./commands/vault.ts")).vaultCommand],
  audit: async () => (await import("./commands/audit.ts")).auditCommands,
  "key-files": async () => [(await import("./commands/key-files.ts")).keyFilesCommand],
  embed: async () => [(await import("./commands/embed.ts")).embedCommand],
  doctor: async () => [(await import("./commands/doctor.ts")).doctorCommand],
  monitor: async () => [(await import("./commands/monitor.ts")).monitorCommand],
  listen: async () => [(await import("./commands/listen.ts")).listenCommand],
  trigger: async () => [(await import("./commands/trigger.ts")).triggerCommand],
};

try {
  process.exitCode = (await run(process.argv.slice(2))) ?? 0;
} catch (error) {
  const mistake = isMistake(error);
  console.error(mistake ? `oriel: ${String(describeError(error))}` : error);
  process.exitCode = mistake ? 2 : 1;
}

async function run(argv: string[]): Promise<number | void> {
  const commands = await loadCommands(argv[0]);
  const command = commands.find(({ name }) => ` ${argv.join(" ")} `.startsWith(` ${name} `));
  if (command === undefined) return console.log(helpAbout(argv, commands));
  const { positionals, values } = readArguments(command, argv.slice(command.name.split(" ").length));
  if (values["help"] === true) return console.log(helpFor(command));
  const { takes, mayTake = [] } = command;
  const isComplete = positionals.length >= takes.length && positionals.length <= takes.length + mayTake.length;
  if (!isComplete) throw new OperatorError(`Wrong number of arguments. Usage: ${usageOf(command)}`);
  return await command.run({
    args: positionals,
    option: (name) => {
      const value = values[name];
      return typeof value === "string" ? value : undefined;
    },
    isOn: (name) => values[name] === true,
    env: process.env,
    now: () => new Date(),
    actor: `cli ${userName()}`,
    interruption,
    print: (text) => console.log(text),
    tell: (text) => console.error(text),
  });
}

/** Loads the commands whose names begin with `word`. If there are none, loads all commands. */
async function loadCommands(word = ""): Promise<readonly Command[]> {
  const isKnown = Object.hasOwn(commandsBy, word);
  const wanted = Object.entries(commandsBy).filter(([first]) => !isKnown || first === word);
  return (await Promise.all(wanted.map(([, load]) => load()))).flat();
}

/** @throws OperatorError with the command's usage if an option is unknown, or its value is missing or unexpected */
function readArguments(command: Command, args: string[]): { positionals: string[]; values: Record<string, unknown> } {
  const named = Object.entries(command.options).map(([name, { value }]) => [name, typeOf(value)] as const);
  const options = new Map([...named, ["help", { type: "boolean" }] as const]);
  // Not in strict mode, where parseArgs throws Node's own messages, which don't show the command's usage.
  const parsed = parseArgs({
    args,
    allowPositionals: true,
    strict: false,
    tokens: true,
    options: { ...Object.fromEntries(options), help: { type: "boolean", short: "h" } },
  });
  for (const token of parsed.tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const type = options.get(name)?.type;
    const isMissing = value === undefined || (!inlineValue && value.startsWith("-"));
    let wrong = null;
    if (type === undefined) wrong = `Unknown option ${rawName}.`;
    else if (type === "string" && isMissing) wrong = `${rawName} needs a value.`;
    else if (type === "boolean" && value !== undefined) wrong = `${rawName} takes no value.`;
    if (wrong !== null) throw new OperatorError(`${wrong} Usage: ${usageOf(command)}`);
  }
  return parsed;
}

function typeOf(value: string | null): { type: "string" | "boolean" } {
  return { type: value === null ? "boolean" : "string" };
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** Lists all commands, or those in the group that was typed. @throws OperatorError if there is no such group */
function helpAbout(argv: string[], commands: readonly Command[]): string {
  const words = argv.filter((word) => !word.startsWith("-")).join(" ");
  const asksForHelp = argv.length === 0 || argv.includes("--help") || argv.includes("-h") || words === "help";
  const group = commands.filter(({ name }) => words === "" || words === "help" || name.startsWith(`${words} `));
  if (group.length === 0 || !asksForHelp) {
    const known = commands.map(({ name }) => name).filter((name) => name.split(" ")[0] === words.split(" ")[0]);
    const hint = known.length === 0 ? "Run `oriel --help` for a list." : `Available commands: ${known.join(", ")}.`;
    throw new OperatorError(`Unknown command ${JSON.stringify(words || argv.join(" "))}. ${hint}`);
  }
  const rows = group.map((command) => [`  ${nameAndArguments(command)}`, command.summary]);
  return `Usage: oriel <command> [options]

Commands
${table(rows)}

Run "oriel <command> --help" for details about a command.
Set environment variables such as DATABASE_URL and ORIEL_DATA_DIR to configure Oriel. See .env.example.
`;
}

function helpFor(command: Command): string {
  const paragraphs = [`Usage: ${usageOf(command)}`, `${command.summary}.`, command.details ?? ""];
  return `${paragraphs.join("\n\n").trim()}\n`;
}

/** Returns the user's name, or the UID where it has none, as in some containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
