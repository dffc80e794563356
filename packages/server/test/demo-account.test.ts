/** Tests the demo merchant's `demo.env`, which developers load for their own servers too. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import pino from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { prepareDemoAccount } from "../src/demo/demo-account.ts";
import { readServiceConfig, type ServiceConfig } from "../src/service-config.ts";
import { openService } from "../src/service.ts";
import { makeDatabaseTemplate } from "./setup/database-template.ts";

type Service = Awaited<ReturnType<typeof openService>>;

const closers: (() => Promise<unknown>)[] = [];
let config: ServiceConfig;
let service: Service;
let path: string;

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "oriel-demo-account-"));
  closers.push(async () => rmSync(dataDir, { recursive: true, force: true }));
  const template = await makeDatabaseTemplate();
  closers.push(() => template.close());
  config = readServiceConfig({
    ORIEL_DATA_DIR: dataDir,
    BANK_API_KEY: "k".repeat(16),
    BANK_RESULTS_KEY: "r".repeat(16),
    ...(await template.copyTo(dataDir, closers)),
  });
  service = await openService(config, pino({ level: "silent" }));
  closers.push(() => service.close());
  path = join(dataDir, "demo.env");
  await prepareDemoAccount(service.context, config, 4242);
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

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
