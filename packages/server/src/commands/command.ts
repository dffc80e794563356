/**
 * What a command of `oriel` is: a name, what it takes, and what it does. Everything it needs of the process is handed
 * in.
 */
import { visible } from "@oriel/protocol/foreign-text";
import { OperatorError } from "../platform/operator-error.ts";

export interface Command {
  /** As it is typed: `key roll`. */
  name: string;
  /** What must follow, in order. */
  takes: readonly string[];
  /** What may follow those, in order. */
  mayTake?: readonly string[];
  options: Readonly<Record<string, CommandOption>>;
  /** One line for the list. */
  summary: string;
  /** What `--help` adds to it. */
  details?: string;
  /** @returns the exit code, where it is not 0 */
  run(input: CommandInput): Promise<number | void>;
}

export interface CommandOption {
  /** As in `--overlap now|1h|24h|7d`; null for a switch. */
  value: string | null;
  /** Shown without brackets; the command itself refuses to run without it. */
  required?: true;
}

export interface CommandInput {
  /** As many as `takes` has, and at most as many more as `mayTake` has. */
  args: readonly string[];
  option(name: string): string | undefined;
  isOn(name: string): boolean;
  env: NodeJS.ProcessEnv;
  now: () => Date;
  /** For the audit log. */
  actor: string;
  /**
   * Aborts at Ctrl-C or SIGTERM. Until it is called first, they end the process at once; a second Ctrl-C always does.
   */
  interruption(): AbortSignal;
  /** Results, on stdout. */
  print(text: string): void;
  /** Progress, on stderr. */
  tell(text: string): void;
}

/** As in `trigger [EVENT_TYPE]`. */
export function nameAndArguments({ name, takes, mayTake = [] }: Command): string {
  return [name, ...takes, ...mayTake.map((word) => `[${word}]`)].join(" ");
}

export function usageOf(command: Command): string {
  const named = Object.entries(command.options).map(([option, { value, required }]) => {
    const usage = `--${option}${value === null ? "" : ` ${value}`}`;
    return required ? usage : `[${usage}]`;
  });
  return ["oriel", nameAndArguments(command), ...named].join(" ");
}

/** The value of an option that takes one of a few. @throws OperatorError */
export function oneOf<T extends string>(option: string, known: readonly T[], text: string): T {
  const found = known.find((value) => value === text);
  if (found === undefined) {
    throw new OperatorError(`--${option} is ${JSON.stringify(text)}; it must be one of ${known.join(", ")}.`);
  }
  return found;
}

/**
 * Columns side by side, for people. Strangers chose some of the names in them: what a terminal would obey, or not show,
 * is shown by its code point.
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
