/** Runs a plan's steps as child processes: stages in sequence, and the lanes of a stage in parallel. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { watchSlowness } from "./machine-speed.ts";
import { machineSeconds, takeChildrenSeconds } from "./processor-time.ts";
import type { Plan, Step } from "./steps.ts";

export interface EndedStep {
  step: Step;
  seconds: number;
  /** Processor time. Null if this system doesn't say. */
  processorSeconds: number | null;
  /** The factor by which the processor was slower than usual meanwhile. */
  slowness: number;
  /** Whether the command exited with 0. */
  isGreen: boolean;
  /** What it printed, if it ran in the background. */
  output: string;
  /** Why it was skipped or ran only in part. Null if it ran completely. */
  limitation: string | null;
  isSkipped: boolean;
}

export interface EndedStage {
  steps: EndedStep[];
  seconds: number;
  /** What the machine's cores worked meanwhile, for whatever process. */
  machineSeconds: number;
}

/** Removes the results of earlier commands, but not the tables of what they cost. */
export function clearResults(): void {
  mkdirSync("test-results", { recursive: true });
  for (const name of readdirSync("test-results"))
    if (!name.startsWith("cost-of-")) rmSync(`test-results/${name}`, { recursive: true });
}

/** What the step's runner writes. */
export function resultsFile({ name }: Pick<Step, "name">): string {
  return `test-results/${name}.json`;
}

const running = new Set<ChildProcess>();

/** @returns every stage with its steps, in the order of the plan */
export async function runPlan(plan: Plan): Promise<EndedStage[]> {
  const ended: EndedStage[] = [];
  process.once("SIGTERM", () => {
    for (const child of running) child.kill();
    process.exit(143);
  });
  for (const lanes of plan) {
    const started = performance.now();
    const workedBefore = machineSeconds();
    const ofStage = await Promise.all(
      lanes.map(async (lane, index) => {
        const ofLane: EndedStep[] = [];
        for (const step of lane) ofLane.push(await runStep(step, index === 0));
        return ofLane;
      }),
    );
    ended.push({
      steps: ofStage.flat(),
      seconds: (performance.now() - started) / 1000,
      machineSeconds: machineSeconds() - workedBefore,
    });
  }
  return ended;
}

/**
 * @param isLive - Shows output immediately. Otherwise it's shown at the end, so that the output of parallel steps isn't
 * mixed.
 */
async function runStep(step: Step, isLive: boolean): Promise<EndedStep> {
  const { name } = step;
  const limitation = step.limitation?.() ?? null;
  const [command, ...args] = limitation === null ? step.command : (step.otherwise ?? []);
  if (command === undefined) {
    console.log(`\n== ${name}: not run. ${limitation}`);
    return {
      step,
      seconds: 0,
      processorSeconds: 0,
      slowness: 1,
      isGreen: true,
      output: "",
      limitation,
      isSkipped: true,
    };
  }
  const started = performance.now();
  console.log(
    `\n== ${name}${isLive ? "" : " (in the background)"}${limitation === null ? "" : `, in part. ${limitation}`}`,
  );
  // npm has a package with Node for Linux only.
  const program = command === "node" ? process.execPath : `node_modules/.bin/${command}`;
  const child = spawn(program, [...args, ...reporting(step)], {
    stdio: isLive ? "inherit" : ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...step.env,
      ...(step.reporter === "playwright" && { PLAYWRIGHT_JSON_OUTPUT_FILE: resultsFile(step) }),
    },
  });
  const slownessSoFar = watchSlowness();
  let processorSeconds: number | null = null;
  child.once("exit", () => (processorSeconds = takeChildrenSeconds()));
  const exit = new Promise<number>((resolve) => {
    child.once("error", (error) => {
      console.error(`${command} couldn't be started: ${error.message}`);
      resolve(1);
    });
    child.once("close", (code) => resolve(code ?? 1));
  });
  running.add(child);
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => void chunks.push(chunk));
  const isGreen = (await exit) === 0;
  running.delete(child);
  const output = Buffer.concat(chunks).toString();
  if (!isLive) console.log(`\n== ${name}, output\n${output}`);
  const slowness = slownessSoFar();
  const seconds = (performance.now() - started) / 1000;
  console.log(`== ${name}: ${isGreen ? "passed" : "FAILED"} in ${seconds.toFixed(1)} s`);
  // In part, its command is another.
  const ran: Step = { ...step, command: [command, ...args] };
  return { step: ran, seconds, processorSeconds, slowness, isGreen, output, limitation, isSkipped: false };
}

/** Arguments that make the runner write the file for `read-results.ts`. */
function reporting(step: Step): string[] {
  if (step.reporter === "vitest")
    return ["--reporter=default", "--reporter=json", `--outputFile.json=${resultsFile(step)}`];
  if (step.reporter === "playwright") return ["--reporter=list,json", `--output=test-results/${step.name}`];
  return [];
}
