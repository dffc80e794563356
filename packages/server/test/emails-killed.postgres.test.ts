/** Tests that no email is lost if processes are killed, with real processes and a mail server on its own port. */
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { freePort } from "../../../scripts/test/free-port.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { createAccount } from "../src/merchants/accounts/accounts.ts";
import { createApiKey } from "../src/merchants/accounts/api-keys.ts";
import { openDatabase, type Db } from "../src/platform/storage/database.ts";
import { startServiceProcess } from "./setup/oriel-process.ts";
import { addOwner } from "./setup/owner.ts";
import { startSmtpServer, type SmtpServer } from "./setup/smtp-server.ts";
import { bankKeys, freshDatabase } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const closers = closersFor(afterEach);
let smtp: SmtpServer;
let env: NodeJS.ProcessEnv;
let db: Db;
beforeEach(async () => {
  const dataDir = temporaryDirectory(onTestFinished);
  const choice = await freshDatabase(closers);
  if (choice.kind !== "postgres") throw new Error("Bug: this file runs on PostgreSQL");
  smtp = await startSmtpServer();
  closers.push(() => smtp.close());
  env = {
    DATABASE_URL: choice.url,
    ORIEL_PORT: String(await freePort()),
    ORIEL_DATA_DIR: dataDir,
    ORIEL_WEBHOOKS_TO_LOOPBACK: "1",
    SMTP_URL: smtp.url,
    BANK_API_KEY: bankKeys.apiKey,
    BANK_RESULTS_KEY: bankKeys.resultsKey,
    BANK_URL: "http://127.0.0.1:9", // nothing is sent to it
  };
  const database = await openDatabase(choice);
  closers.push(() => database.close());
  db = database.db;
});

it("sends an email once whose process was killed right after the change", async () => {
  const api = startServiceProcess("api", env, closers);
  const url = `http://127.0.0.1:${env["ORIEL_PORT"]}`;
  await until("the service to be ready", async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok || null);
  const now = () => new Date();
  const { accountNo } = await createAccount(db, "Kiln Street", now());
  await addOwner({ db, now }, accountNo, "ann@shop.example");
  const { secretKey } = await createApiKey(db, { accountNo, livemode: false }, now());
  const created = await fetch(`${url}/api/v1/webhook_endpoints`, {
    method: "POST",
    headers: { authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
    body: JSON.stringify({ url: "http://127.0.0.1:9999/" }),
  });
  expect(created.status).toBe(200);
  await api.stop("SIGKILL");
  expect(smtp.received).toEqual([]);

  // The first worker is killed when the email has arrived, but the server hasn't said so.
  smtp.confirms = false;
  const worker = startServiceProcess("worker", env, closers);
  await until("the email", () => smtp.received[0] ?? null);
  await worker.stop("SIGKILL");
  smtp.confirms = true;
  expect(await db.selectFrom("email").select(["tries"]).execute()).toEqual([{ tries: 0 }]);

  // As if the time for which the first worker had claimed it were over.
  await db.updateTable("email").set({ next_try_at: now() }).execute();
  startServiceProcess("worker", env, closers);
  await until("the email to be done", async () => (await db.selectFrom("email").execute()).length === 0 || null);
  const [first, second, ...more] = smtp.received;
  expect(second).toEqual(first);
  expect(first).toMatchObject({ to: "ann@shop.example", subject: "A webhook endpoint was added" });
  expect(first?.messageId).toMatch(/^<mail_\w{33}@localhost>$/);
  expect(more).toEqual([]);
});
