/**
 * Configuration of everything built for a browser, and of the tests. `vite build --app` makes `dist/embed` (the
 * loader), `dist/checkout` (the pages in the iframe), `dist/dashboard` and `dist/shop` (the demo's single-page app).
 */
import { defineConfig } from "vitest/config";
import { shopEnvironment } from "./demo/build.ts";
import { checkoutEnvironment, checkoutPages } from "./packages/checkout/build.ts";
import { dashboardEnvironment, dashboardPage } from "./packages/dashboard/build.ts";
import { embedEnvironment, loaderLimits } from "./packages/embed/build.ts";
import {
  aloneOnCitus,
  everyStatement,
  notOnCitus,
  onPostgres15,
  quickOnPglite,
  restOnPglite,
  slowOnPostgres,
} from "./packages/server/test/setup/quick-files.ts";

/** Fails a test without assertions, such as a loop over nothing. */
const expecting = { requireAssertions: true };

/** These tests need documents that `npm run vendor-documents` fetches. */
const connectorTests = "packages/vault/test/connectors/**/*.test.ts";
/** These tests run on PostgreSQL, because PGlite is slower and has only one connection. */
const vaultDatabaseTests = "packages/vault/test/*.postgres.test.ts";
const patientWaits = ["scripts/test/patient-waits.ts"];
/** Only for tests that hang. A test that builds takes two seconds on an idle machine and five on a busy one. */
const unitTimeoutMs = 30_000;
/** Only for tests that hang. The longest take 20 seconds, and up to three times that on a busy machine. */
const databaseTimeoutMs = 90_000;

function apiTests(
  name: string,
  database: "pglite" | "postgres" | "postgres-15" | "citus",
  files: string[],
  exclude: string[] = [],
) {
  return {
    test: {
      name,
      environment: "node" as const,
      expect: expecting,
      dir: "packages/server/test",
      include: files,
      exclude,
      // The modules keep no state that could affect the next file, and reloading the service for each file takes a
      // third of the time.
      isolate: false,
      globalSetup: ["packages/server/test/setup/database.ts"],
      setupFiles: ["packages/server/test/setup/record-statements.ts"],
      provide: { database },
      testTimeout: databaseTimeoutMs,
      hookTimeout: databaseTimeoutMs,
    },
  };
}

export default defineConfig({
  appType: "custom",
  publicDir: false,
  clearScreen: false,
  environments: {
    embed: embedEnvironment,
    checkout: checkoutEnvironment,
    dashboard: dashboardEnvironment,
    shop: shopEnvironment,
  },
  plugins: [checkoutPages(), loaderLimits(), dashboardPage()],
  builder: {
    async buildApp(builder) {
      for (const name of ["embed", "checkout", "dashboard", "shop"]) {
        const environment = builder.environments[name];
        if (!environment) throw new Error(`Bug: no environment named ${name}`);
        await builder.build(environment);
      }
    },
  },
  test: {
    // By default Vitest leaves one core free, which doubles the time of the API tests on two cores. More workers than
    // cores take more processor time, because each loads the service: three a tenth more, four more than a quarter.
    maxWorkers: "100%",
    projects: [
      {
        test: {
          name: "unit",
          environment: "node",
          // Files share the modules that they load, as in the API tests above, and for the same reason.
          isolate: false,
          expect: expecting,
          testTimeout: unitTimeoutMs,
          setupFiles: [...patientWaits, "scripts/test/compare-keys.ts"],
          include: [
            "packages/{protocol,http-listener,webhook-signature,time-limit,commands,cli,vault,sandbox,sdk,server}/src/**/*.test.ts",
            "packages/{embed,checkout}/src/**/*.node.test.ts",
            "packages/{embed,vault}/test/**/*.test.ts",
            "packages/checkout/build/**/*.test.ts",
            "scripts/**/*.test.ts",
            "trials/**/*.test.ts",
            "demo/server/**/*.test.ts",
          ],
          exclude: [connectorTests, vaultDatabaseTests],
        },
      },
      {
        test: {
          name: "vault",
          environment: "node",
          isolate: false,
          expect: expecting,
          testTimeout: databaseTimeoutMs,
          hookTimeout: databaseTimeoutMs,
          globalSetup: ["packages/vault/test/start-postgres.ts"],
          setupFiles: [...patientWaits, "scripts/test/compare-keys.ts"],
          include: [vaultDatabaseTests],
        },
      },
      {
        test: {
          name: "connectors",
          environment: "node",
          expect: expecting,
          testTimeout: unitTimeoutMs,
          include: [connectorTests],
          // Its document isn't in an npm package.
          exclude: process.env["ADYEN_WEBHOOKS_DOCUMENT"] ? [] : ["**/published-webhooks.test.ts"],
        },
      },
      {
        test: {
          name: "dom",
          // A VM context for each file, so that each has a window and modules of its own. A process or a thread for each
          // needs more than twice the processor time.
          pool: "vmForks",
          environment: "happy-dom",
          expect: expecting,
          testTimeout: unitTimeoutMs,
          setupFiles: [...patientWaits, "scripts/test/message-channel.ts"],
          include: ["packages/{embed,checkout,dashboard}/src/**/*.test.{ts,tsx}"],
          exclude: ["**/*.node.test.ts"],
        },
      },
      apiTests("api-postgres", "postgres", ["**/*.test.ts"], [...slowOnPostgres, ...everyStatement, ...aloneOnCitus]),
      apiTests("api-postgres-rest", "postgres", slowOnPostgres),
      // Not named `api-…`, because `npm run test:api` needs no installed PostgreSQL.
      apiTests("postgres-15", "postgres-15", onPostgres15),
      // Not named `api-…`, because it needs a cluster.
      apiTests("citus", "citus", ["**/*.test.ts"], [...notOnCitus, ...aloneOnCitus]),
      apiTests("citus-nodes", "citus", aloneOnCitus),
      apiTests("api-pglite", "pglite", quickOnPglite),
      // Runs after `api-postgres`, whose statements it prepares.
      apiTests("statements", "pglite", everyStatement),
      apiTests("api-pglite-rest", "pglite", restOnPglite),
    ],
  },
});
