/**
 * Steps of `npm test` and `npm run test:full`. Every test belongs to one of the two (`steps.test.ts`).
 *
 * A plan is a sequence of stages. A stage has lanes that run in parallel, and a lane has steps that run in order. The
 * first lane keeps the cores busy. The second has steps that mostly wait, and in the last stage also the simulation,
 * because browser tests leave time for it.
 */
import { existsSync } from "node:fs";
import { firstPort } from "../../demo/e2e/urls.ts";
import { findWebKit } from "../../demo/e2e/webkit/browser.ts";
import { postgres15 } from "../../packages/server/test/setup/postgres.ts";
import { findFirefox, isDrivableFirefox, minFirefox } from "../browsers.ts";

export interface Step {
  name: string;
  /** A command in `node_modules/.bin` with its arguments. */
  command: [string, ...string[]];
  /**
   * Which runner writes `test-results/<name>.json`. Without one, the step itself counts as a test if `isTest` is set.
   */
  reporter?: "vitest" | "playwright" | "webkit";
  isTest?: boolean;
  env?: Record<string, string>;
  /** A sentence that says why the step can't run, or not completely, on this machine. */
  limitation?(): string | null;
  /** What can run anyway. */
  otherwise?: Step["command"];
}

export type Plan = Step[][][];

/** Minutes that `npm test`, and both commands together, take at most on two idle cores. */
export const minutes = { quick: 8, all: 35 };

const node = (...args: string[]): Step["command"] => ["node", ...args];

/** Arguments of Vitest and of Playwright. */
export const inProjects = (...projects: string[]) => projects.flatMap((project) => ["--project", project]);

function vitest(name: string, ...projects: string[]): Step {
  return { name, command: ["vitest", "run", ...inProjects(...projects)], reporter: "vitest" };
}

function playwright(name: string, ...projects: string[]): Step {
  return { name, command: ["playwright", "test", ...inProjects(...projects)], reporter: "playwright" };
}

function chaos(name: string, ...args: string[]): Step {
  return { name, command: node("trials/chaos.ts", ...args), isTest: true };
}

/** Runs before the steps that use `dist`. In `npm run test:full`, the build of `npm test` is usually still up to date. */
const build: Step = { name: "build", command: node("scripts/build.ts") };

/** As `npm run types`. */
export const types: Step[] = [
  {
    // Type-checks each file with the settings of its own package, for its environment: DOM, Node or neither. In the
    // same pass, lints with the rules that need types. The examples have dependencies that aren't installed; `npm run
    // test:examples` checks their types.
    name: "types",
    command: ["oxlint", "--type-aware", "--type-check", "--deny-warnings", "--ignore-pattern", "examples"],
  },
  // The embed runs in older browsers than the rest, so whatever it imports is also checked with its settings.
  { name: "types-embed", command: ["tsc", "-p", "packages/embed"] },
];

function oldFirefox(): string | null {
  const found = findFirefox();
  if (found === null || isDrivableFirefox(found)) return null;
  return `Playwright needs Firefox ${minFirefox} or newer; ${found.path} is older.`;
}

function noWebKit(): string | null {
  return findWebKit() === null ? "On Debian, install webkit2gtk-driver and xvfb." : null;
}

function noPostgres15(): string | null {
  return existsSync(postgres15) ? null : "On Debian 12, install postgresql-15.";
}

/**
 * `npm test`: the tests that a change is most likely to break.
 *
 * The second lanes mostly wait: for browsers, and for killed processes to be replaced. The API tests wait as well, for
 * PostgreSQL, so they have the chaos runs beside them, which take more time than the browsers.
 */
export const quick: Plan = [
  [[{ name: "setup-browsers", command: node("scripts/setup-browsers.ts", "chromium") }]],
  [[build]],
  [
    [
      { name: "lint", command: ["oxlint", "--deny-warnings"] },
      { name: "lint-examples", command: ["oxlint", "--type-aware", "--deny-warnings", "examples"] },
      { name: "format", command: ["oxfmt", "--check", "."] },
      ...types,
      vitest("unit", "unit", "vault", "dom"),
    ],
    [playwright("chromium", "chromium-quick")],
  ],
  [
    [
      vitest("api", "api-postgres", "api-pglite"),
      vitest("statements", "statements"), // after the tests that record them
    ],
    [
      chaos("chaos", "--answers", "--kills", "12", "--payments", "120", "--clients", "24"),
      chaos("chaos-webhooks", "--webhooks", "--kills", "6", "--events", "200"),
    ],
  ],
];

/**
 * `npm run test:full`: everything that `npm test` leaves out. Browsers don't run during the API tests, because they
 * make PGlite so slow that payments miss their deadlines.
 */
export const full: Plan = [
  [[{ name: "setup-browsers", command: node("scripts/setup-browsers.ts") }]],
  [[build]],
  [
    [
      vitest("api-rest", "api-postgres-rest", "api-pglite-rest"),
      { name: "vendor-documents", command: node("scripts/vendor-documents.ts") },
      vitest("connectors", "connectors"),
      { ...vitest("postgres-15", "postgres-15"), limitation: noPostgres15 },
    ],
    [
      chaos("chaos-silence", "--kills", "12", "--payments", "120", "--clients", "24"),
      chaos("chaos-adyen", "--adyen", "--kills", "8", "--payments", "80"),
      chaos("chaos-restarts", "--restarts", "10", "--payments", "200"),
    ],
  ],
  [
    [
      {
        ...playwright("browsers", "chromium-rest", "firefox"),
        limitation: oldFirefox,
        otherwise: ["playwright", "test", ...inProjects("chromium-rest")],
      },
    ],
    [
      {
        name: "webkit",
        command: node("demo/e2e/webkit/main.ts"),
        reporter: "webkit",
        // Playwright uses the ports before these at the same time.
        env: { ORIEL_E2E_PORT: String(firstPort + 20) },
        limitation: noWebKit,
      },
      { name: "simulate", command: node("trials/simulate.ts", "--from", "1", "--seeds", "600"), isTest: true },
    ],
  ],
];
