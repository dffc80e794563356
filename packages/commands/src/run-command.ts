/**
 * Runs a command line: finds the command, parses its arguments and runs it. Errors that the person can fix are printed
 * without a stack trace.
 */
import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { nameAndArguments, table, usageOf, type Command } from "./command.ts";
import { describeFileError } from "./describe-file-error.ts";
import { OperatorError } from "./operator-error.ts";

export interface CommandLine {
  /** The name of the program, for example `oriel`. */
  program: string;
  version: string;
  /**
   * Commands by the first word of their name, in the order `--help` lists them. They're loaded on demand, because most
   * commands need only a small part of the code.
   */
  commands: Readonly<Record<string, () => Promise<readonly Command[]>>>;
  /** Shown below the list of commands. */
  note: string;
  /** Added to the error about an unknown command: where others are. */
  elsewhere?: string;
  /** Whether the person can fix this error, apart from an OperatorError. */
  isMistake?(error: unknown): boolean;
  /** A sentence for errors of file operations: which variables determine the paths. */
  pathsHint?: string;
}

/**
 * Sets the exit code: the command's own, or 2 if it failed. A command may use 1 for a finding, as `oriel monitor` does,
 * so a bug must not look like one.
 */
export async function runCommandLine(line: CommandLine, argv: string[]): Promise<void> {
  try {
    process.exitCode = (await run(line, argv)) ?? 0;
  } catch (error) {
    const isMistake = error instanceof OperatorError || line.isMistake?.(error) === true;
    const sentence = isMistake && error instanceof Error ? error.message : describeFileError(error, line.pathsHint);
    console.error(sentence === null ? error : `${line.program}: ${sentence}`);
    process.exitCode = 2;
  }
}

async function run(line: CommandLine, argv: string[]): Promise<number | void> {
  if (argv[0] === "--version" || argv[0] === "-v") return console.log(line.version);
  const commands = await loadCommands(line, argv[0]);
  const command = commands.find(({ name }) => ` ${argv.join(" ")} `.startsWith(` ${name} `));
  if (command === undefined) return console.log(helpAbout(line, argv, commands));
  const { positionals, values } = readArguments(line, command, argv.slice(command.name.split(" ").length));
  if (values["help"] === true) return console.log(helpFor(line, command));
  const { takes, mayTake = [] } = command;
  const isComplete = positionals.length >= takes.length && positionals.length <= takes.length + mayTake.length;
  if (!isComplete) throw new OperatorError(`Wrong number of arguments. Usage: ${usageOf(line.program, command)}`);
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
    log: (text) => console.error(text),
  });
}

/** Loads the commands whose names begin with `word`. If there are none, loads all commands. */
async function loadCommands({ commands }: CommandLine, word = ""): Promise<readonly Command[]> {
  const isKnown = Object.hasOwn(commands, word);
  const wanted = Object.entries(commands).filter(([first]) => !isKnown || first === word);
  return (await Promise.all(wanted.map(([, load]) => load()))).flat();
}

/** @throws OperatorError with the command's usage if an option is unknown, or its value is missing or unexpected */
function readArguments(
  line: CommandLine,
  command: Command,
  args: string[],
): { positionals: string[]; values: Record<string, unknown> } {
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
    if (wrong !== null) throw new OperatorError(`${wrong} Usage: ${usageOf(line.program, command)}`);
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
function helpAbout({ program, note, elsewhere }: CommandLine, argv: string[], commands: readonly Command[]): string {
  const words = argv.filter((word) => !word.startsWith("-")).join(" ");
  const wantsHelp = argv.length === 0 || argv.includes("--help") || argv.includes("-h") || words === "help";
  const group = commands.filter(({ name }) => words === "" || words === "help" || name.startsWith(`${words} `));
  if (group.length === 0 || !wantsHelp) {
    const known = commands.map(({ name }) => name).filter((name) => name.split(" ")[0] === words.split(" ")[0]);
    const hint =
      known.length === 0
        ? `Run \`${program} --help\` for a list.${elsewhere === undefined ? "" : ` ${elsewhere}`}`
        : `Available commands: ${known.join(", ")}.`;
    throw new OperatorError(`Unknown command${quoted(argv)}. ${hint}`);
  }
  const rows = group.map((command) => [`  ${nameAndArguments(command)}`, command.summary]);
  return `Usage: ${program} <command> [options]

Commands
${table(rows)}

Run "${program} <command> --help" for details about a command.
${note}
`;
}

/** Quotes the words that can be a command's name. The others may contain a secret, as an `embed_url` does. */
function quoted(argv: string[]): string {
  const end = argv.findIndex((word) => !/^[a-z][a-z-]{0,29}$/.test(word));
  const name = argv.slice(0, Math.min(2, end === -1 ? argv.length : end)).join(" ");
  return name === "" ? "" : ` ${JSON.stringify(name)}`;
}

function helpFor({ program }: CommandLine, command: Command): string {
  const paragraphs = [`Usage: ${usageOf(program, command)}`, `${command.summary}.`, command.details ?? ""];
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
