/**
 * Keeps one statement of each shape that the API tests send to PostgreSQL, for `every-statement.test.ts`. Each worker
 * appends to its own file. A recording belongs to one version of the source code, and further runs of the same code add to
 * it.
 */
import { createHash } from "node:crypto";
import { appendFileSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
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

/** Records everything that this process sends from now on. Does nothing if it already does. */
export function startRecording(directory: string): void {
  if (isRecording) return;
  isRecording = true;
  const texts = new Set<string>(); // most statements repeat, and this is faster than computing their shapes
  const shapes = new Set<string>();
  const file = join(directory, `${Date.now()}-${process.pid}.jsonl`);
  watchStatements(({ text }) => {
    if (texts.has(text)) return;
    texts.add(text);
    const shape = shapeOf(text);
    if (!isPreparable(text) || shapes.has(shape)) return;
    shapes.add(shape);
    appendFileSync(file, `${JSON.stringify(text)}\n`);
  });
}

/** @returns one statement of each shape */
export function readRecording(): string[] {
  const directory = recordingDirectory();
  const lines = globSync("*.jsonl", { cwd: directory }).flatMap((name) =>
    readFileSync(join(directory, name), "utf8").split("\n").filter(Boolean),
  );
  const texts = lines.map((line) => JSON.parse(line) as string); // as `startRecording` wrote it
  return [...new Map(texts.map((text) => [shapeOf(text), text])).values()];
}

/**
 * PostgreSQL can't prepare other statements, such as `begin`. To keep a statement of its own out of the recording, a test
 * starts it with a comment.
 */
function isPreparable(text: string): boolean {
  return /^\s*\(?(select|insert|update|delete|merge|values|with)\b/i.test(text);
}

/** The same for any length of a list of parameters, and for any number of rows. */
function shapeOf(text: string): string {
  return text.replaceAll(/\$\d+(, \$\d+)*/g, "$").replaceAll(/\(\$\)(, \(\$\))+/g, "($)");
}
