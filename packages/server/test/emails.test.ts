/** Tests the queue of emails with a mail server on its own port. No worker runs by itself here. */
import { beforeEach, describe, expect, inject, it } from "vitest";
import { freePort } from "../../../scripts/test/free-port.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { checkQueuedEmails } from "../src/commands/doctor/check-emails.ts";
import { claimEmails } from "../src/merchants/emails/claim-emails.ts";
import { createMailer, type Mailer } from "../src/merchants/emails/mailer.ts";
import { queueCollected, queueEmail } from "../src/merchants/emails/outbox.ts";
import { sendEmail } from "../src/merchants/emails/send-emails.ts";
import { raiseAttention } from "../src/payments/attention/raise-attention.ts";
import type { Tx } from "../src/platform/storage/database.ts";
import { createDatabaseGauges } from "../src/telemetry/database-gauges.ts";
import { newVisitor } from "./setup/dashboard-visitor.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { addOwner } from "./setup/owner.ts";
import { startSmtpServer } from "./setup/smtp-server.ts";
import { startTestService } from "./setup/test-service.ts";

/** PGlite runs one transaction at a time. */
const onPostgres = inject("postgresUrl") !== null;
const capacity = { total: 100, perQueue: 100, taken: new Map<string, number>() };
const smtp = await openForTests(startSmtpServer());
const service = await openForTests(startTestService({ role: "api" }));
const mailer = mailerFor(smtp.url);
beforeEach(async () => {
  smtp.received.length = 0;
  await service.context.db.deleteFrom("email").execute();
});

function mailerFor(smtpUrl: string): Mailer {
  return createMailer({ smtpUrl, from: "Oriel <mail@oriel.example>" }, { dataDir: "", log: service.context.log });
}

/** Does what a worker does: sends what is due. */
async function sendDue(by = mailer): Promise<string[]> {
  const { context } = service;
  const results = [];
  for (const email of await claimEmails(context.db, context.now(), capacity))
    results.push(await sendEmail(context, by, email));
  return results;
}

const waiting = () => service.context.db.selectFrom("email").selectAll().orderBy("id").execute();

/** An account with two owners. */
async function ownedMerchant(name: string): Promise<Merchant & { owners: string[] }> {
  const merchant = await newMerchant(service);
  const owners = [`${name}-1@shop.example`, `${name}-2@shop.example`];
  for (const email of owners) await addOwner(service.context, merchant.tenant.accountNo, email);
  return { ...merchant, owners };
}

/** Reads the database again. */
async function gauges(): Promise<{ waiting: number; refused: number; age: number }> {
  const { database } = service.context.telemetry.metrics;
  await createDatabaseGauges(database, service.context)();
  const read = async (gauge: { get(): Promise<{ values: { value: number }[] }> }) =>
    (await gauge.get()).values[0]?.value ?? Number.NaN;
  return {
    waiting: await read(database.emailsWaiting),
    refused: await read(database.emailsRefused),
    age: await read(database.emailsAge),
  };
}

async function given(result: string): Promise<number> {
  const { values } = await service.context.telemetry.metrics.emails.get();
  return values.find(({ labels }) => labels.result === result)?.value ?? Number.NaN;
}

const addEndpoint = (merchant: Merchant, key = "one") =>
  merchant.call(
    "POST",
    "/api/v1/webhook_endpoints",
    { url: "http://127.0.0.1:9999/secret-path" },
    { "idempotency-key": key },
  );

describe("an email", () => {
  it("goes to each owner once if a webhook URL is added and changed with an API key, even if requests are retried", async () => {
    const merchant = await ownedMerchant("added");
    const { body } = await addEndpoint(merchant);
    expect((await addEndpoint(merchant)).body).toEqual(body);
    expect(await sendDue()).toEqual(["done", "done"]);
    expect(smtp.received.map(({ to }) => to).sort()).toEqual(merchant.owners);
    for (const { subject, text } of smtp.received) {
      expect(subject).toBe("A webhook endpoint was added");
      expect(text).toContain("at 127.0.0.1:9999 was added");
      expect(text).toMatch(/with a secret API key\. The Request log page shows which one, for the request req_\w+\./);
      expect(text).toContain("rotate the key");
      expect(text).not.toContain("secret-path");
    }
    expect(await waiting()).toEqual([]);

    smtp.received.length = 0;
    const path = `/api/v1/webhook_endpoints/${String(body["id"])}`;
    await merchant.call("PATCH", path, { url: "http://127.0.0.1:9999/secret-path", description: "the same URL" });
    expect(await waiting()).toEqual([]);
    await merchant.call("PATCH", path, { url: "http://127.0.0.1:9998/" });
    await sendDue();
    expect(smtp.received.map(({ subject }) => subject)).toEqual(Array(2).fill("A webhook endpoint's URL was changed"));
  });

  it("is one for many changes of webhook URLs, after the first five in an hour", async () => {
    const merchant = await ownedMerchant("many");
    const { body } = await addEndpoint(merchant);
    for (let port = 9001; port <= 9010; port++) {
      const url = `http://127.0.0.1:${port}/`;
      await merchant.call("PATCH", `/api/v1/webhook_endpoints/${String(body["id"])}`, { url });
    }
    expect(await sendDue()).toHaveLength(10);
    expect(smtp.received.some(({ subject }) => subject.startsWith("More"))).toBe(false);
    smtp.received.length = 0;
    service.moveClock(31 * 60_000);
    expect(await sendDue()).toEqual(["done", "done"]);
    expect(smtp.received.map(({ to }) => to).sort()).toEqual(merchant.owners);
    expect(smtp.received[0]?.subject).toBe("More webhook URLs were added or changed");
  });

  it("isn't sent if the invitation in it was revoked or replaced meanwhile", async () => {
    const owner = await newVisitor(service, { accountName: "Kiln Street" });
    const email = "guest-of-kiln-street@shop.example";
    const invite = () => owner.inWorkspace("POST", "team/invitations", { email, role: "developer" });
    const invitations = async () => (await waiting()).flatMap(({ about }) => about ?? []);
    await invite();
    const [first] = await invitations();
    const { body } = await invite();
    expect(body["id"]).not.toBe(first);
    expect(await invitations()).toEqual([body["id"]]);
    await owner.inWorkspace("DELETE", `team/invitations/${String(body["id"])}`);
    expect(await invitations()).toEqual([]);
  });

  it("isn't sent if the change is rolled back", async () => {
    const { context } = service;
    const email = { to: "nobody@shop.example", subject: "Never", text: "" };
    const changing = context.db.transaction().execute(async (tx) => {
      await queueEmail(context, tx, "sign-in", email);
      throw new Error("Rolled back");
    });
    await expect(changing).rejects.toThrow("Rolled back");
    expect(await waiting()).toEqual([]);
  });

  it("arrives once within five minutes after the mail server was down for an hour", async () => {
    const merchant = await ownedMerchant("down");
    const port = await freePort();
    const down = mailerFor(`smtp://127.0.0.1:${port}`);
    await addEndpoint(merchant);
    const attempts = [];
    for (let minutes = 0; minutes < 60; minutes += 5) {
      attempts.push(...(await sendDue(down)));
      service.moveClock(5 * 60_000);
    }
    expect(new Set(attempts)).toEqual(new Set(["server_failed"]));
    expect(await waiting()).toMatchObject([{ failure: "ESOCKET" }, { failure: "ESOCKET" }]);

    const back = await startSmtpServer(port);
    service.moveClock(5 * 60_000);
    await sendDue(down);
    expect(back.received.map(({ to }) => to).sort()).toEqual(merchant.owners);
    expect(await waiting()).toEqual([]);
    await back.close();
  });

  it("is tried for three days, and then given up with a log line", async () => {
    const merchant = await ownedMerchant("never");
    const down = mailerFor(`smtp://127.0.0.1:${await freePort()}`);
    await addEndpoint(merchant);
    service.moveClock(3 * 24 * 3_600_000 - 60_000);
    expect(await sendDue(down)).toEqual(["server_failed", "server_failed"]);
    service.moveClock(24 * 3_600_000);
    expect(await sendDue()).toEqual(["dropped", "dropped"]);
    expect(smtp.received).toEqual([]);
    expect(await waiting()).toEqual([]);
    expect(service.log.filter((line) => line.includes("An email wasn't sent because it has expired"))).toHaveLength(2);
  });

  it("isn't sent again if the server refuses its recipient for good, and the other owner gets theirs", async () => {
    const merchant = await ownedMerchant("refused");
    const [first = "", second = ""] = merchant.owners;
    smtp.refusals.set(first, "550 5.1.1 <refused-1@shop.example> unknown");
    await addEndpoint(merchant);
    expect(await sendDue()).toEqual(["done", "done"]);
    expect(smtp.received.map(({ to }) => to)).toEqual([second]);
    expect(await waiting()).toEqual([]);
    const [line = "", ...more] = service.log.filter((text) => text.includes("refused an email's recipient"));
    expect(JSON.parse(line)).toMatchObject({ queue: merchant.accountId, failure: "RCPT TO 550 5.1.1" });
    expect(more).toEqual([]);
    expect(service.log.filter((text) => text.includes("refused-1@"))).toEqual([]);
  });

  it("isn't late, and doesn't count as given up, if the server refuses its recipient until it expires", async () => {
    const { context } = service;
    smtp.refusals.set("x@no-such-domain.example", "450 4.1.2 Domain not found");
    const email = { to: "x@no-such-domain.example", subject: "Confirm", text: "" };
    await queueEmail(context, context.db, "sign-in", email, { expiresInMs: 24 * 3_600_000 });
    expect(await sendDue()).toEqual(["failed"]);
    service.moveClock(20 * 60_000);
    expect(await sendDue()).toEqual(["failed"]);
    const found = "none are waiting; 1 refused by the mail server, and tried again";
    expect(await checkQueuedEmails(context.db, context.now())).toMatchObject({ verdict: "warning", found });
    expect(await gauges()).toEqual({ waiting: 0, refused: 1, age: 0 });

    const expired = await given("expired");
    service.moveClock(24 * 3_600_000);
    await sendDue();
    expect(await waiting()).toEqual([]);
    expect(await given("expired")).toBe(expired);

    // A failure of the server is more urgent than an earlier refusal.
    await queueEmail(context, context.db, "sign-in", email);
    await sendDue();
    service.moveClock(60_000);
    await sendDue(mailerFor(`smtp://127.0.0.1:${await freePort()}`));
    service.moveClock(10 * 60_000);
    expect(await checkQueuedEmails(context.db, context.now())).toMatchObject({ verdict: "failed" });
    expect(await gauges()).toMatchObject({ waiting: 1, refused: 0 });
  });

  it("is late from when its first attempt was due, not from when it was written", async () => {
    const { context } = service;
    const email = { to: "ann@shop.example", subject: "Look", text: "" };
    await queueEmail(context, context.db, "operators", email, { delayMs: 30 * 60_000 });
    service.moveClock(30 * 60_000 + 1_000);
    const check = () => checkQueuedEmails(context.db, context.now());
    expect(await check()).toMatchObject({ verdict: "ok" });
    await sendDue(mailerFor(`smtp://127.0.0.1:${await freePort()}`));
    expect(await check()).toMatchObject({ verdict: "ok" });
    service.moveClock(60_000);
    const { age } = await gauges();
    expect(age).toBeGreaterThan(60);
    expect(age).toBeLessThan(120);
    service.moveClock(9 * 60_000);
    expect(await check()).toMatchObject({ verdict: "failed", found: expect.stringMatching(/after 1 failed attempts/) });
  });

  it("has the same Message-ID in a second attempt, after a worker died before it recorded the first one", async () => {
    const merchant = await ownedMerchant("killed");
    await addEndpoint(merchant);
    const { db, now } = service.context;
    const [claimed] = await claimEmails(db, now(), { ...capacity, total: 1 });
    // The worker sends the email and dies.
    await mailer.send(claimed?.id ?? "", { to: "killed-1@shop.example", subject: "", text: "" });
    expect(await sendDue()).toEqual(["done"]); // only the other one, because nobody else may send this one yet
    service.moveClock(5 * 60_000);
    expect(await sendDue()).toEqual(["done"]);
    const ids = smtp.received.map(({ messageId }) => messageId);
    expect(ids).toHaveLength(3);
    expect(ids[0]).toBe(`<${claimed?.id}@oriel.example>`);
    expect(ids[2]).toBe(ids[0]);
    expect(ids[1]).not.toBe(ids[0]);
  });

  it("can't be read in the database, or sent if its row was changed", async () => {
    const { context } = service;
    const email = { to: "ann@shop.example", subject: "Come in", text: "https://dashboard.example/invitation#token" };
    for (const _ of [1, 2]) await queueEmail(context, context.db, "sign-in", email);
    const [row = expect.fail(), other = expect.fail()] = await waiting();
    for (const text of Object.values(email)) {
      expect(row.sealed_message.toString("latin1")).not.toContain(text);
      expect(JSON.stringify(row)).not.toContain(text);
    }
    const { sealed_message } = row;
    await context.db.updateTable("email").set({ sealed_message }).where("id", "=", other.id).execute();
    expect((await sendDue()).sort()).toEqual(["done", "dropped"]);
    expect(smtp.received).toMatchObject([email]);
    expect(service.log.filter((line) => line.includes("its text can't be decrypted"))).toHaveLength(1);
  });
});

describe("an email that tells where to look", () => {
  it("is sent half an hour later, for everything that has needed attention until then, in one mode of one account", async () => {
    const { context } = service;
    const [merchant, other] = [await ownedMerchant("attention"), await ownedMerchant("other")];
    let count = 0;
    const raise = async ({ tenant }: Merchant, livemode = false) => {
      const concern = { kind: "fraud_reported", subject: `att_${++count}`, chargeId: null, attemptId: null } as const;
      const raising = { ...concern, details: { amount: 4900 } };
      await context.db.transaction().execute((tx) => raiseAttention(context, tx, { ...tenant, livemode }, raising));
    };
    await raise(merchant);
    service.moveClock(20 * 60_000);
    for (const livemode of [false, false, true]) await raise(merchant, livemode);
    await raise(other);
    expect(await sendDue()).toEqual([]);
    service.moveClock(11 * 60_000);
    expect(await sendDue()).toEqual(["done", "done"]);
    expect(smtp.received.map(({ to }) => to).sort()).toEqual(merchant.owners);
    expect(smtp.received[0]).toMatchObject({
      subject: "Something needs your attention",
      text: expect.stringContaining("Test Shop in test mode"),
    });
    await raise(merchant);
    service.moveClock(20 * 60_000);
    await sendDue();
    // The queues of one moment take turns in no defined order.
    expect(smtp.received.filter(({ text }) => text.includes("live mode"))).toHaveLength(2);
    expect(smtp.received).toHaveLength(6);
    service.moveClock(11 * 60_000);
    await sendDue();
    expect(smtp.received).toHaveLength(8);
  });

  it("isn't sent before a transaction that relies on it has committed", async () => {
    const { context } = service;
    const emails = ["ann", "ben"].map((name) => ({ to: `${name}@shop.example`, subject: "Look", text: "" }));
    const collect = (db: Tx) => queueCollected(context, db, "operators", async () => emails);
    await context.db.transaction().execute(collect);
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const { promise: isCollected, resolve: collected } = Promise.withResolvers<void>();
    const slow = context.db.transaction().execute(async (tx) => {
      await collect(tx);
      collected();
      if (onPostgres) await mayCommit;
    });
    await isCollected;
    // Others rely on the same emails meanwhile.
    if (onPostgres) await context.db.transaction().execute(collect);
    expect(await waiting()).toHaveLength(2);
    service.moveClock(31 * 60_000);
    expect(onPostgres ? await sendDue() : []).toEqual([]);
    commit();
    await slow;
    expect(await sendDue()).toEqual(["done", "done"]);
    expect(smtp.received.map(({ to }) => to).sort()).toEqual(emails.map(({ to }) => to));
  });
});

describe("an account with many emails", () => {
  it("doesn't delay those of others", async () => {
    const { context } = service;
    const email = { to: "ann@shop.example", subject: "News", text: "" };
    for (let i = 0; i < 20; i++) await queueEmail(context, context.db, { accountId: "acct_many" }, email);
    for (const queue of ["sign-in", { accountId: "acct_few" }] as const)
      await queueEmail(context, context.db, queue, email);
    const claim = async (taken: Record<string, number>) => {
      const limits = { total: 4, perQueue: 3, taken: new Map(Object.entries(taken)) };
      return (await claimEmails(context.db, context.now(), limits)).map(({ queue }) => queue).sort();
    };
    expect(await claim({ acct_many: 2 })).toEqual(["acct_few", "acct_many", "sign-in"]);
    expect(await claim({ acct_many: 3 })).toEqual([]);
    expect(await claim({})).toEqual(["acct_many", "acct_many", "acct_many"]);
  });
});
