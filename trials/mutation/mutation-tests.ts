/**
 * Runs tests against mutants in one long-lived Vitest process. A plugin supplies the mutant's text instead of the
 * file's, so no file changes. Every run has a new worker process, which loads its modules again.
 */
import { resolve } from "node:path";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Plugin } from "vite";
import { createVitest, type SerializedError, type TestModule, type TestSpecification } from "vitest/node";
import configuration from "../../vite.config.ts";
import { projects } from "./areas.ts";

export type Outcome = "killed" | "survived" | "timed out";

export interface MutationTests {
  /** @throws Error if there's no test file at one of the paths */
  find(paths: readonly string[]): Promise<TestSpecification[]>;
  /**
   * Runs tests until one fails.
   *
   * @param mutant - Text to use instead of a file's. Null runs the unchanged sources.
   * @throws Error if the tests passed without loading the file
   */
  run(
    specifications: TestSpecification[],
    mutant: { file: string; text: string } | null,
    limitMs: number,
  ): Promise<Outcome>;
  /** Failures of the last run, one line each. */
  failures(): readonly string[];
  close(): Promise<void>;
}

export async function openTests(): Promise<MutationTests> {
  let replaced: { path: string; text: string; isLoaded: boolean } | null = null;
  const plugin: Plugin = {
    name: "mutant",
    enforce: "pre",
    transform(_code, id) {
      if (replaced === null || id.split("?")[0] !== replaced.path) return;
      replaced.isLoaded = true;
      return { code: replaced.text, map: null };
    },
  };
  let failures: string[] = [];
  const reporter = {
    onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]) {
      failures = [...errors.map(({ message }) => message), ...modules.flatMap(failuresOf)];
    },
  };
  const withPlugin = (configuration.test?.projects ?? []).flatMap((project) =>
    typeof project === "object" && "test" in project ? [{ ...project, plugins: [plugin] }] : [],
  );
  const vitest = await createVitest(
    {
      config: false,
      // Otherwise the module might come from the disk cache, without the fault.
      fsModuleCache: false,
      project: [...projects],
      watch: false,
      bail: 1,
      maxWorkers: 1,
      silent: true,
      reporters: [reporter],
    },
    { test: { projects: withPlugin } },
    // Hide the tests' output, because the faults are intentional.
    { stdout: nowhere(), stderr: nowhere() },
  );
  const all = await vitest.globTestSpecifications();

  async function runOne(specifications: TestSpecification[], limitMs: number): Promise<Outcome> {
    failures = [];
    const run = vitest.runTestSpecifications(specifications).then(() => "ended" as const);
    const stop = new AbortController();
    const end = await Promise.race([run, sleep(limitMs, "timed out" as const, { signal: stop.signal })]);
    stop.abort();
    if (end === "ended") return failures.length > 0 ? "killed" : "survived";
    // The first call asks the worker to stop. The second kills it if it's too busy to respond.
    void vitest.cancelCurrentRun("keyboard-input");
    await Promise.race([run, sleep(5_000)]);
    await vitest.cancelCurrentRun("keyboard-input");
    return end;
  }

  return {
    async find(paths) {
      const found = all.filter(({ moduleId }) => paths.some((path) => moduleId.startsWith(resolve(path))));
      const missing = paths.filter((path) => !found.some(({ moduleId }) => moduleId.startsWith(resolve(path))));
      if (missing.length > 0)
        throw new Error(`There's no test at ${missing.join(", ")}. Correct trials/mutation/areas.ts.`);
      return found;
    },

    async run(specifications, mutant, limitMs) {
      const path = mutant && resolve(mutant.file);
      replaced = mutant && path !== null ? { path, text: mutant.text, isLoaded: false } : null;
      if (path !== null) vitest.invalidateFile(path);
      try {
        for (const project of projects) {
          const ofProject = specifications.filter((specification) => specification.project.name === project);
          const outcome = ofProject.length === 0 ? "survived" : await runOne(ofProject, limitMs);
          if (outcome !== "survived") return outcome;
        }
        if (replaced?.isLoaded === false)
          throw new Error(`No test of ${mutant?.file} loads it. Correct trials/mutation/areas.ts.`);
        return "survived";
      } finally {
        replaced = null;
        if (path !== null) vitest.invalidateFile(path);
      }
    },

    failures: () => failures,
    close: () => vitest.close(),
  };
}

function failuresOf(module: TestModule): string[] {
  const ofTests = [...module.children.allTests("failed")].flatMap((test) =>
    test.result().errors?.map(({ message }) => `${test.fullName}: ${message}`),
  );
  const ofFile = module.errors().map(({ message }) => message);
  const all = [...ofFile, ...ofTests].filter((failure) => failure !== undefined);
  if (all.length === 0 && module.state() === "failed") all.push("failed");
  return all.map((failure) => `${module.relativeModuleId}: ${failure}`);
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
