/** Runs a receiver on every vector in its own process and compares the verdicts. */
import { execFile } from "node:child_process";
import { folder, type Language } from "./languages.ts";
import type { Vector } from "./make-vectors.ts";

export interface Outcome {
  passed: number;
  /** A sentence for each failure. */
  failures: string[];
}

/** Timeout for all vectors, including compilation. */
const timeoutMs = 120_000;

/**
 * The receiver prints `VERDICT <tab> NAME` for each vector; other lines come from its test runner. A vector without a
 * verdict fails.
 */
export async function runVectors({ command, check }: Language, vectors: readonly Vector[]): Promise<Outcome> {
  const { stdout, failure } = await outputOf(command, check);
  const lines = stdout.split("\n").map((line) => line.split("\t"));
  const verdicts = new Map(lines.map(([verdict, name]) => [name, verdict]));
  const failures = vectors
    .map(({ name, why }) => ({ name, said: verdicts.get(name) ?? "nothing", expected: why ?? "ok" }))
    .filter(({ said, expected }) => said !== expected)
    .map(({ name, said, expected }) => `${name}: returned ${said}, expected ${expected}`);
  return { passed: vectors.length - failures.length, failures: failure === null ? failures : [...failures, failure] };
}

function outputOf(command: string, args: readonly string[]): Promise<{ stdout: string; failure: string | null }> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: folder, timeout: timeoutMs, maxBuffer: 1_000_000 }, (error, stdout, stderr) => {
      const failure =
        error === null ? null : `its check exited with ${error.code ?? error.signal}: ${stderr.trim().slice(0, 500)}`;
      resolve({ stdout, failure });
    });
  });
}
