/**
 * `npm run check`: quick checks of a change, within 90 seconds. It runs format, lint of what changed, types, the unit
 * tests that import it, and the API tests that it's most likely to break (`check/api-tests.ts`). It doesn't replace
 * `npm test`.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { matchesGlob } from "node:path";
import { parseArgs } from "node:util";
import { tooSlowToCheck } from "../packages/server/test/setup/quick-files.ts";
import { apiTestsFor } from "./check/api-tests.ts";
import { cores } from "./test/processor-time.ts";
import { costTable, judge, report } from "./test/report.ts";
import { clearResults, runPlan } from "./test/run-plan.ts";
import { inProjects, types, type Step } from "./test/steps.ts";

const usage = `npm run check [-- options]   checks what you changed: format, lint, types, related unit and API tests

  --since REV   check what changed since that commit (default: uncommitted changes, or else the last commit)
  --help`;

const { values } = parseArgs({ options: { since: { type: "string" }, help: { type: "boolean" } } });
if (values.help) {
  console.log(usage);
} else {
  const changed = values.since === undefined ? recentChange() : changedSince(values.since);
  console.log(`${changed.length} changed files`);
  process.exitCode = changed.length === 0 || (await check(changed)) ? 0 : 1;
}

async function check(changed: string[]): Promise<boolean> {
  clearResults();
  const stages = judge(await runPlan([[stepsFor(changed)]]), {}, false);
  const { text, isGreen } = report(stages.flatMap(({ steps }) => steps));
  console.log(`\n${costTable(stages, cores)}\n${text}`);
  return isGreen;
}

function stepsFor(changed: string[]): Step[] {
  const code = changed.filter((path) => /\.(ts|tsx)$/.test(path));
  const steps: Step[] = [
    { name: "format", command: ["oxfmt", "--check", "--no-error-on-unmatched-pattern", ...changed] },
  ];
  if (code.length === 0) return steps;
  // Vitest runs every test if its own configuration changes.
  const related = code.filter((path) => path.includes("/"));
  const unitProjects = inProjects("unit", "vault", "dom");
  steps.push({ name: "lint", command: ["oxlint", "--deny-warnings", ...code] }, ...types, {
    name: "unit",
    command: ["vitest", "related", ...related, "--run", "--passWithNoTests", ...unitProjects],
    reporter: "vitest",
  });
  const api = apiTestsFor(
    changed,
    lines("git", ["ls-files", "--cached", "--others", "packages/server/test/*.test.ts"]),
  ).filter((path) => !tooSlowToCheck.some((pattern) => matchesGlob(path, pattern)));
  if (api.length > 0) {
    const projects = inProjects("api-postgres", "api-postgres-rest");
    steps.push({ name: "api", command: ["vitest", "run", ...projects, ...api], reporter: "vitest" });
  }
  return steps;
}

function recentChange(): string[] {
  const changed = changedSince("HEAD");
  return changed.length > 0 ? changed : changedSince("HEAD~1");
}

/** Changed files that still exist, committed or not. */
function changedSince(revision: string): string[] {
  const tracked = lines("git", ["diff", "--name-only", "--diff-filter=d", revision]);
  return [...new Set([...tracked, ...lines("git", ["ls-files", "--others", "--exclude-standard"])])].filter(existsSync);
}

function lines(command: string, args: string[]): string[] {
  return execFileSync(command, args, { encoding: "utf8" }).split("\n").filter(Boolean);
}
