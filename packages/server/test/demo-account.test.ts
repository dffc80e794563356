/** Tests the demo merchant's `demo.env`, which developers load for their own servers too. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import pino from "pino";
import { afterAll, expect, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { prepareDemoAccount } from "../src/demo/demo-account.ts";
import { readServiceConfig } from "../src/service-config.ts";
import { openService } from "../src/service.ts";
import { makeDatabaseTemplate } from "./setup/database-template.ts";

const dataDir = temporaryDirectory(afterAll);
const closers = closersFor(afterAll);
const template = await openForTests(makeDatabaseTemplate());
const config = readServiceConfig({
  ORIEL_DATA_DIR: dataDir,
  BANK_API_KEY: "k".repeat(16),
  BANK_RESULTS_KEY: "r".repeat(16),
  ...(await template.copyTo(dataDir, closers)),
});
const service = await openForTests(openService(config, pino({ level: "silent" })));
const path = join(dataDir, "demo.env");
await prepareDemoAccount(service.context, config, 4242);

it("gives a developer's server the key, but not the secret of the demo shop's endpoint", () => {
  const env = parseEnv(readFileSync(path, "utf8"));
  expect(Object.keys(env).sort()).toEqual([
    "ORIEL_API_URL",
    "ORIEL_CHECKOUT_ORIGIN",
    "ORIEL_SECRET_KEY",
    "SHOP_WEBHOOK_SECRET",
  ]);
});

it("sends the demo shop's webhooks to the host that the shop listens on", async () => {
  const url = async () =>
    (await service.context.db.selectFrom("webhook_endpoint").select("url").executeTakeFirstOrThrow()).url;
  expect(await url()).toBe("http://127.0.0.1:4242/webhooks/oriel");
  await prepareDemoAccount(service.context, { ...config, host: "::1" }, 4242);
  expect(await url()).toBe("http://[::1]:4242/webhooks/oriel");
});

it("says where the signing secret for a developer's server comes from", () => {
  expect(readFileSync(path, "utf8")).toMatch(/^# .*ORIEL_WEBHOOK_SECRET.*`oriel listen` prints it/m);
});

it("keeps the key and the shop's secret at later starts, and renames the secret in a file of an earlier version", async () => {
  const first = readFileSync(path, "utf8");
  writeFileSync(path, first.replace(/^#.*\n/m, "").replace("SHOP_WEBHOOK_SECRET", "ORIEL_WEBHOOK_SECRET"));
  await prepareDemoAccount(service.context, config, 4242);
  expect(readFileSync(path, "utf8")).toBe(first);
});
