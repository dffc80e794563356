/** Defines what a command is. Everything a command needs from the process is passed to `run`. */
import { visible } from "@oriel/protocol/hidden-characters";
import { OperatorError } from "./operator-error.ts";

export interface Command {
  /** As typed, for example `key roll`. */
  name: string;
  /** Required arguments, in order. */
  takes: readonly string[];
  /** Optional arguments that may follow, in order. */
  mayTake?: readonly string[];
  options: Readonly<Record<string, CommandOption>>;
  /** One line in the imperative, without a period, for the list of commands. */
  summary: string;
  /** Shown by `--help` below the summary. */
  details?: string;
  /** @returns the exit code; 0 if undefined */
  run(input: CommandInput): Promise<number | void>;
}

export interface CommandOption {
  /** The placeholder for the value, as in `--overlap now|1h|24h|7d`; null for a flag. */
  value: string | null;
  /** Makes the help show the option without brackets. The command itself checks that it's set. */
  required?: true;
}

export interface CommandInput {
  /** The required arguments (`takes`), followed by any optional ones (`mayTake`) that were passed. */
  args: readonly string[];
  option(name: string): string | undefined;
  isOn(name: string): boolean;
  env: NodeJS.ProcessEnv;
  now: () => Date;
  /** Recorded in the audit log. */
  actor: string;
  /**
   * Returns a signal that aborts on Ctrl-C or SIGTERM. Before the first call, and on a second Ctrl-C, the process ends
   * at once.
   */
  interruption(): AbortSignal;
  /** Prints a result to stdout. */
  print(text: string): void;
  /** Prints progress or a warning to stderr. */
  log(text: string): void;
}

/** For example `trigger [EVENT_TYPE]`. */
export function nameAndArguments({ name, takes, mayTake = [] }: Command): string {
  return [name, ...takes, ...mayTake.map((word) => `[${word}]`)].join(" ");
}

export function usageOf(program: string, command: Command): string {
  const named = Object.entries(command.options).map(([option, { value, required }]) => {
    const usage = `--${option}${value === null ? "" : ` ${value}`}`;
    return required ? usage : `[${usage}]`;
  });
  return [program, nameAndArguments(command), ...named].join(" ");
}

/** Checks the value of an option that allows a few values. @throws OperatorError */
export function oneOf<T extends string>(option: string, known: readonly T[], text: string): T {
  const found = known.find((value) => value === text);
  if (found === undefined) {
    throw new OperatorError(`--${option} is ${JSON.stringify(text)}, but it must be one of ${known.join(", ")}.`);
  }
  return found;
}

/**
 * Formats rows as aligned columns. Some cells contain text from outside, such as names, so control and invisible
 * characters are replaced by their code points to protect the terminal.
 */
export function table(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map((cell) => visible(cell.replace(/[\t\r\n]/g, " "))));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
