/**
 * The demo merchant, for `npm start` only. If the database is empty, creates an account, a test key and a webhook
 * endpoint, and writes them to `demo.env` in the data directory, readable only by its owner. Later starts reuse them and
 * only update the URLs.
 *
 * Developers load this file for their own servers. The secret of the demo shop's endpoint therefore isn't named
 * `ORIEL_WEBHOOK_SECRET`: their servers need the secret that `oriel listen` prints.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "@oriel/commands/operator-error";
import { originAt } from "@oriel/http-listener/origin-at";
import { createAccount, hasAccounts } from "../merchants/accounts/accounts.ts";
import { createApiKey, findApiKeyBySecret } from "../merchants/accounts/api-keys.ts";
import { noCause } from "../platform/cause.ts";
import type { Config } from "../platform/config.ts";
import type { PlatformContext } from "../platform/context.ts";
import { ownedBy } from "../platform/storage/owned-by.ts";
import { createWebhookEndpoint } from "../webhooks/webhook-endpoints.ts";

/** Written to `demo.env` as `NAME=value` lines. */
interface DemoEnv {
  ORIEL_API_URL: string;
  ORIEL_CHECKOUT_ORIGIN: string;
  ORIEL_SECRET_KEY: string;
  SHOP_WEBHOOK_SECRET: string;
}

export async function prepareDemoAccount(context: PlatformContext, config: Config, shopPort: number): Promise<void> {
  const path = join(config.dataDir, "demo.env");
  // The shop listens on the same host as the service.
  const webhookUrl = `${originAt(config.host, shopPort)}/webhooks/oriel`;
  const addresses = { ORIEL_API_URL: config.apiUrl, ORIEL_CHECKOUT_ORIGIN: config.checkoutOrigin };

  if (!(await hasAccounts(context.db))) {
    const { accountNo } = await createAccount(context.db, "Kiln Street", context.now());
    const tenant = { accountNo, livemode: false };
    const endpoint = await context.db
      .transaction()
      .execute((tx) =>
        createWebhookEndpoint(context, tx, tenant, { url: webhookUrl, description: "The demo shop" }, noCause),
      );
    const { secretKey } = await createApiKey(context.db, tenant, context.now());
    writeDemoEnv(path, { ...addresses, ORIEL_SECRET_KEY: secretKey, SHOP_WEBHOOK_SECRET: endpoint.secret });
    return;
  }

  const known = readDemoEnv(path);
  const holder = await findApiKeyBySecret(context, known.ORIEL_SECRET_KEY);
  if ("reason" in holder) {
    throw new OperatorError(
      `The key in ${path} doesn't exist in this database. Set ORIEL_DATA_DIR and DATABASE_URL to the data directory and database of the same installation.`,
    );
  }
  await context.db
    .updateTable("webhook_endpoint")
    .set({ url: webhookUrl })
    .where(ownedBy(holder.tenant))
    .where("description", "=", "The demo shop")
    .execute();
  writeDemoEnv(path, { ...known, ...addresses });
}

function writeDemoEnv(path: string, env: DemoEnv): void {
  const { SHOP_WEBHOOK_SECRET, ...others } = env;
  const lines = Object.entries(others).map(([name, value]) => `${name}=${value}\n`);
  const text = `${lines.join("")}
# Your own server's ORIEL_WEBHOOK_SECRET isn't in this file: \`oriel listen\` prints it. This one is the demo shop's.
SHOP_WEBHOOK_SECRET=${SHOP_WEBHOOK_SECRET}
`;
  writeFileSync(path, text, { mode: 0o600 });
}

function readDemoEnv(path: string): DemoEnv {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new OperatorError(
      `The database contains accounts, but ${path} doesn't exist. Its key can't be recovered from the database. Restore the file, or start with an empty database and data directory.`,
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
    ORIEL_WEBHOOK_SECRET = "", // its name in files from earlier versions
    SHOP_WEBHOOK_SECRET = ORIEL_WEBHOOK_SECRET,
  } = Object.fromEntries(entries);
  return { ORIEL_API_URL, ORIEL_CHECKOUT_ORIGIN, ORIEL_SECRET_KEY, SHOP_WEBHOOK_SECRET };
}
