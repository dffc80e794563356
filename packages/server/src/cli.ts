#!/usr/bin/env node
/** `oriel`: runs the service and looks after it. Finds the command, reads its arguments, and turns its errors into a sentence. */
import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { accountCommands } from "./commands/account.ts";
import { nameAndArguments, table, usageOf, type Command } from "./commands/command.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { embedCommand } from "./commands/embed.ts";
import { keyCommands } from "./commands/key.ts";
import { keyFilesCommand } from "./commands/key-files.ts";
import { listenCommand } from "./commands/listen.ts";
import { serveCommands } from "./commands/serve.ts";
import { triggerCommand } from "./commands/trigger.ts";
import { vaultCommand } from "./commands/vault.ts";
import { OperatorError } from "./operator-error.ts";
import { explain, isMistake } from "./explain.ts";

const commands: Command[] = [
  ...serveCommands,
  ...accountCommands,
  ...keyCommands,
  vaultCommand,
  keyFilesCommand,
  embedCommand,
  doctorCommand,
  listenCommand,
  triggerCommand,
];

try {
  process.exitCode = (await run(process.argv.slice(2))) ?? 0;
} catch (error) {
  const mistake = isMistake(error);
  console.error(mistake ? `oriel: ${String(explain(error))}` : error);
  process.exitCode = mistake ? 2 : 1;
}

async function run(argv: string[]): Promise<number | void> {
  const command = commands.find(({ name }) => ` ${argv.join(" ")} `.startsWith(` ${name} `));
  if (command === undefined) return console.log(helpAbout(argv));
  const { positionals, values } = readArguments(command, argv.slice(command.name.split(" ").length));
  if (values["help"] === true) return console.log(helpFor(command));
  const { takes, mayTake = [] } = command;
  const isComplete = positionals.length >= takes.length && positionals.length <= takes.length + mayTake.length;
  if (!isComplete) throw new OperatorError(`Say \`${usageOf(command)}\`.`);
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

/** @throws OperatorError with the command's usage for an option that it does not have, or not so */
function readArguments(command: Command, args: string[]): { positionals: string[]; values: Record<string, unknown> } {
  const named = Object.entries(command.options).map(([name, { value }]) => [name, typeOf(value)] as const);
  const options = new Map([...named, ["help", { type: "boolean" }] as const]);
  // Not strict, because then the sentences would be Node's and not say how the command is used.
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
    if (wrong !== null) throw new OperatorError(`${wrong} Say \`${usageOf(command)}\`.`);
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

/** Everything, or what begins with the words that were typed. @throws OperatorError when nothing does */
function helpAbout(argv: string[]): string {
  const words = argv.filter((word) => !word.startsWith("-")).join(" ");
  const asksForHelp = argv.length === 0 || argv.includes("--help") || argv.includes("-h") || words === "help";
  const group = commands.filter(({ name }) => words === "" || words === "help" || name.startsWith(`${words} `));
  if (group.length === 0 || !asksForHelp) {
    const known = commands.map(({ name }) => name).filter((name) => name.split(" ")[0] === words.split(" ")[0]);
    const hint = known.length === 0 ? "See oriel --help." : `There is ${known.join(", ")}.`;
    throw new OperatorError(`There is no command ${JSON.stringify(words || argv.join(" "))}. ${hint}`);
  }
  const rows = group.map((command) => [`  ${nameAndArguments(command)}`, command.summary]);
  return `Usage: oriel <command> [options]

Commands
${table(rows)}

oriel <command> --help says more about one. The environment configures it: DATABASE_URL, ORIEL_DATA_DIR, ... See .env.example.
`;
}

function helpFor(command: Command): string {
  const sentences = [`${command.summary[0]?.toUpperCase() ?? ""}${command.summary.slice(1)}.`, command.details ?? ""];
  return `Usage: ${usageOf(command)}\n\n${sentences.join(" ").trim()}\n`;
}

/** A container's user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
