/**
 * The merchant of the demo, for `npm start` only: with an empty database an account, a test key and a webhook endpoint
 * are made and written to `demo.env` in the data directory, readable by its owner. Later starts use what is there and
 * only bring its addresses up to date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAccount, hasAccounts } from "./merchants/accounts/accounts.ts";
import { createApiKey, lookUpApiKey } from "./merchants/accounts/api-keys.ts";
import type { Config } from "./platform/config.ts";
import { noCause } from "./platform/cause.ts";
import type { PlatformContext } from "./platform/context.ts";
import { OperatorError } from "./platform/operator-error.ts";
import { createWebhookEndpoint } from "./webhooks/webhook-endpoints.ts";

/** Written to `demo.env` as `NAME=value` lines. */
interface DemoEnv {
  ORIEL_API_URL: string;
  ORIEL_CHECKOUT_ORIGIN: string;
  ORIEL_SECRET_KEY: string;
  ORIEL_WEBHOOK_SECRET: string;
}

export async function prepareDemoAccount(context: PlatformContext, config: Config, shopPort: number): Promise<void> {
  const path = join(config.dataDir, "demo.env");
  const webhookUrl = `http://127.0.0.1:${shopPort}/webhooks/oriel`;
  const addresses = { ORIEL_API_URL: config.apiUrl, ORIEL_CHECKOUT_ORIGIN: config.checkoutOrigin };

  if (!(await hasAccounts(context.db))) {
    const tenant = { accountId: await createAccount(context.db, "Kiln Street", context.now()), livemode: false };
    const endpoint = await context.db
      .transaction()
      .execute((tx) =>
        createWebhookEndpoint(context, tx, tenant, { url: webhookUrl, description: "The demo shop" }, noCause),
      );
    const { secretKey } = await createApiKey(context.db, tenant, context.now());
    writeDemoEnv(path, { ...addresses, ORIEL_SECRET_KEY: secretKey, ORIEL_WEBHOOK_SECRET: endpoint.secret });
    return;
  }

  const known = readDemoEnv(path);
  const holder = await lookUpApiKey(context, known.ORIEL_SECRET_KEY);
  if ("reason" in holder) {
    throw new OperatorError(
      `The key in ${path} is not one of this database. Point ORIEL_DATA_DIR and DATABASE_URL at what belongs together.`,
    );
  }
  await context.db
    .updateTable("webhook_endpoint")
    .set({ url: webhookUrl })
    .where("account_id", "=", holder.tenant.accountId)
    .where("description", "=", "The demo shop")
    .execute();
  writeDemoEnv(path, { ...known, ...addresses });
}

function writeDemoEnv(path: string, env: DemoEnv): void {
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(path, lines.join(""), { mode: 0o600 });
}

function readDemoEnv(path: string): DemoEnv {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new OperatorError(
      `The database has accounts, but ${path} is not there, and a key cannot be read back. Restore the file, or start with an empty database and data directory.`,
    );
  }
  const entries = text.split("\n").flatMap((line) => {
    const at = line.indexOf("=");
    return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
  });
  const {
    ORIEL_API_URL = "",
    ORIEL_CHECKOUT_ORIGIN = "",
    ORIEL_SECRET_KEY = "",
    ORIEL_WEBHOOK_SECRET = "",
  } = Object.fromEntries(entries);
  return { ORIEL_API_URL, ORIEL_CHECKOUT_ORIGIN, ORIEL_SECRET_KEY, ORIEL_WEBHOOK_SECRET };
}
