/**
 * Keeps one statement of each shape that the API tests send to PostgreSQL, for `every-statement.test.ts`. Each worker
 * appends to its own file. A recording belongs to one version of the source code, and further runs of the same code add to
 * it.
 */
import { createHash } from "node:crypto";
import { appendFileSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { watchStatements } from "./recorded-statements.ts";

const root = join(import.meta.dirname, "../../../..");
const recordings = join(root, "node_modules/.cache/oriel-statements");

/** The directory for the recording of the current source code. It may not exist. */
export function recordingDirectory(): string {
  const sources = globSync("packages/{server,vault}/src/**/*.ts", { cwd: root }).sort();
  const digest = createHash("sha256");
  for (const path of [...sources, "package-lock.json"]) digest.update(path).update(readFileSync(join(root, path)));
  return join(recordings, digest.digest("hex").slice(0, 16));
}

/** Creates the directory for a recording and removes old ones. */
export function prepareRecording(): string {
  const directory = recordingDirectory();
  mkdirSync(directory, { recursive: true });
  const hourAgo = Date.now() - 3_600_000;
  for (const name of readdirSync(recordings)) {
    const path = join(recordings, name);
    // Another run may still write to a recording of a moment ago, or remove an old one at the same time.
    const age = statSync(path, { throwIfNoEntry: false });
    if (path !== directory && age !== undefined && age.mtimeMs < hourAgo)
      rmSync(path, { recursive: true, force: true });
  }
  return directory;
}

let isRecording = false;

export interface Recorded {
  text: string;
  /** Whether the service sent it, or else a test by itself. */
  isOfService: boolean;
  /** The numbers of the parameters that were null, if it has an outer join. */
  nulls: readonly number[];
}

/** Records everything that this process sends from now on. Does nothing if it already does. */
export function startRecording(directory: string): void {
  if (isRecording) return;
  isRecording = true;
  const texts = new Set<string>(); // most statements repeat, and this is faster than computing their shapes
  const seen = new Set<string>();
  const file = join(directory, `${Date.now()}-${process.pid}.jsonl`);
  watchStatements(record);
  // A pool sends a statement when it has a connection. Then the function that called it isn't known any more.
  const { query } = pg.Pool.prototype;
  pg.Pool.prototype.query = function (this: pg.Pool, ...args: unknown[]) {
    const [text, values] = args;
    if (typeof text === "string") record({ text, values: Array.isArray(values) ? values : [] });
    return Reflect.apply(query, this, args) as unknown;
  } as typeof query;

  function record({ text, values }: { text: string; values: readonly unknown[] }): void {
    const nulls = /\b(?:left|right|full) (?:outer )?join\b/i.test(text) ? nullsOf(values) : [];
    const sent = `${nulls.join()} ${text}`;
    if (texts.has(sent) || !isPreparable(text)) return;
    // A test may have sent the same text.
    const isOfService = isSentByService();
    if (isOfService) texts.add(sent);
    const recorded: Recorded = { text, isOfService, nulls };
    if (seen.has(keyOf(recorded))) return;
    seen.add(keyOf(recorded));
    appendFileSync(file, `${JSON.stringify(recorded)}\n`);
  }
}

function nullsOf(values: readonly unknown[]): number[] {
  return values.flatMap((value, index) => (value === null ? [index + 1] : []));
}

function keyOf({ text, isOfService, nulls }: Recorded): string {
  return `${isOfService} ${nulls.join()} ${shapeOf(text)}`;
}

/** Whether the innermost function that isn't about storage itself is the service's. */
function isSentByService(): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const { stack = "" } = new Error("to see the callers");
  Error.stackTraceLimit = stackTraceLimit;
  const callers = stack
    .split("\n")
    .filter((line) => /packages\/(?:server|vault)\//.test(line) && !ownModules.test(line));
  return /\/src\//.test(callers[0] ?? "");
}

const ownModules =
  /node_modules|\/(?:statement-recording|recorded-statements|preparing-client|pooled-client|commit-hooks|database)\.ts/;

/** @returns one statement of each shape, for tests and the service and each combination of nulls */
export function readRecording(): Recorded[] {
  const directory = recordingDirectory();
  const lines = globSync("*.jsonl", { cwd: directory }).flatMap((name) =>
    readFileSync(join(directory, name), "utf8").split("\n").filter(Boolean),
  );
  const recorded = lines.map((line) => JSON.parse(line) as Recorded); // as `startRecording` wrote it
  return [...new Map(recorded.map((one) => [keyOf(one), one])).values()];
}

/**
 * PostgreSQL can't prepare other statements, such as `begin`. To keep a statement of its own out of the recording, a test
 * starts it with a comment.
 */
function isPreparable(text: string): boolean {
  return /^\s*\(?(select|insert|update|delete|merge|values|with)\b/i.test(text);
}

/** The same for any length of a list of parameters, and for any number of rows. */
export function shapeOf(text: string): string {
  return text.replaceAll(/\$\d+(, \$\d+)*/g, "$").replaceAll(/\(\$\)(, \(\$\))+/g, "($)");
}
