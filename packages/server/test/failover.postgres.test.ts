/** Tests a URL with several hosts, a failover between them, and a server that refuses writes for a while. */
import { writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { openDatabase, type Database } from "../src/platform/storage/database.ts";
import { isDatabaseFailure } from "../src/platform/storage/is-database-failure.ts";
import { listen } from "../src/platform/storage/listen.ts";
import { PreparingClient } from "../src/platform/storage/preparing-client.ts";
import { openDatabaseProxy } from "./setup/database-proxy.ts";
import { startWithStandby, type TestPostgres } from "./setup/postgres.ts";
import { freshDatabase, startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const closers = closersFor(afterEach);

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

describe("a URL with several hosts", () => {
  let primary: TestPostgres;
  let standby: TestPostgres;
  beforeEach(async () => {
    const servers = await startWithStandby();
    ({ primary, standby } = servers);
    closers.push(() => servers.stop());
  });

  const hostOf = ({ url }: TestPostgres) => new URL(url).host;

  async function open(...hosts: string[]): Promise<Database> {
    const url = `postgres://postgres@${hosts.join()}/postgres?target_session_attrs=read-write`;
    const database = await openDatabase({ kind: "postgres", url });
    closers.push(() => database.close());
    return database;
  }

  async function hostIn({ pool }: Database): Promise<string> {
    const { rows } = await pool.query("select inet_server_addr() || ':' || inet_server_port() as host");
    return String(rows[0]?.["host"]).replace("/32", "");
  }

  it("leads to the primary, and after a failover to the new one", async () => {
    const silent = await listenLocally(createServer((socket) => socket.resume()));
    closers.push(() => silent.close());
    const database = await open(`127.0.0.1:${silent.port}`, hostOf(standby), hostOf(primary));
    let notified = 0;
    const stopListening = await listen(database, "channel", () => (notified += 1));
    closers.push(stopListening);
    expect(await hostIn(database)).toBe(hostOf(primary));
    expect(notified).toBe(1);

    await primary.stop();
    const failed = await hostIn(database).catch((error: unknown) => error);
    expect(isDatabaseFailure(failed)).toBe(true);
    await run(standby.url, "select pg_promote()");
    await until("the new primary", async () => {
      const host = await hostIn(database).catch(() => null);
      return host === hostOf(standby) ? host : null;
    });
    await until("the new connection to listen", () => (notified > 1 ? true : null));
  });

  it("never leads to an old primary that was started again, even if it responds first or alone", async () => {
    const delayed = await openProxy(standby, (_data, send) => setTimeout(send, 20));
    const database = await open(hostOf(primary), delayed.host);
    const { pool } = database;
    expect(await hostIn(database)).toBe(hostOf(primary));

    await run(standby.url, "select pg_promote()"); // now there are two
    const [before, after] = await Promise.allSettled([pool.query("select pg_sleep(10)"), hostIn(database)]);
    expect(before).toMatchObject({ reason: { message: `${hostOf(primary)} is no longer the primary`, code: "08006" } });
    expect(after).toMatchObject({ value: hostOf(standby) });
    await Promise.all(Array.from({ length: 5 }, async () => expect(await hostIn(database)).toBe(hostOf(standby))));

    await delayed.close();
    await expect(open(hostOf(primary), delayed.host)).rejects.toThrow(
      /127\.0\.0\.1:\d+: it's an old primary, on timeline 1 \(to use it again, restart this process\)/,
    );
  });

  it("leaves an old primary that still accepts writes, and listens on the new one", async () => {
    const database = await open(hostOf(primary), hostOf(standby));
    let notified = 0;
    const stopListening = await listen(database, "channel", () => (notified += 1));
    closers.push(stopListening);
    expect(await hostIn(database)).toBe(hostOf(primary));

    await run(standby.url, "select pg_promote()"); // now there are two, and no new connection is needed
    await until("the new primary", async () => {
      const host = await hostIn(database).catch((error: unknown) => {
        if (!isDatabaseFailure(error)) throw error;
        return null;
      });
      return host === hostOf(standby) ? host : null;
    });
    await until("the new connection to listen", () => (notified > 1 ? true : null));
    notified = 0;
    await run(standby.url, "notify channel");
    await until("a notification", () => (notified > 0 ? true : null));
  });

  it("commits nothing on an old primary that still accepts writes", async () => {
    const onPrimary = new pg.Client(primary.url);
    await onPrimary.connect();
    closers.push(() => onPrimary.end());
    await onPrimary.query("create table written ()");
    const { db } = await open(hostOf(primary), hostOf(standby));
    const written = db.transaction().execute(async (tx) => {
      await sql`insert into written default values`.execute(tx);
      await run(standby.url, "select pg_promote()");
      await until("the end of the connection", async () => {
        const { rows } = await onPrimary.query("select 1 from pg_stat_activity where state = 'idle in transaction'");
        return rows.length === 0 ? true : null;
      });
    });
    await expect(written).rejects.toSatisfy(isDatabaseFailure);
  });

  it("doesn't wait for a primary that disappeared", async () => {
    const proxy = await openDatabaseProxy(primary.url);
    closers.push(() => proxy.close());
    const database = await open(new URL(proxy.url).host, hostOf(standby));
    let notified = 0;
    const stopListening = await listen(database, "channel", () => (notified += 1));
    closers.push(stopListening);
    expect(await hostIn(database)).toBe(hostOf(primary));

    proxy.disappear();
    await run(standby.url, "select pg_promote()");
    const startedAt = performance.now();
    const waiting = Array.from({ length: 30 }, async () => await hostIn(database)); // the pool has 20 connections
    await expect(waiting[0]).rejects.toSatisfy(isDatabaseFailure);
    expect(await waiting.at(-1)).toBe(hostOf(standby));
    await until("the new connection to listen", () => (notified > 1 ? true : null));
    expect(performance.now() - startedAt).toBeLessThan(15_000); // a late response closes a connection after 30 s
  });

  it("stops listening while the server doesn't respond", async () => {
    const proxy = await openDatabaseProxy(primary.url);
    closers.push(() => proxy.close());
    const stopListening = await listen(await open(new URL(proxy.url).host), "channel", () => {});
    proxy.disappear();
    await expect(stopListening()).resolves.toBeUndefined();
  });

  it("finds the password of the primary in .pgpass", async () => {
    const file = join(temporaryDirectory(onTestFinished), "pgpass");
    writeFileSync(file, `127.0.0.1:${new URL(primary.url).port}:postgres:postgres:right\n`, { mode: 0o600 });
    await run(primary.url, "alter user postgres password 'right'");
    const client = new pg.Client(primary.url);
    await client.connect();
    const { rows } = await client.query<{ file: string }>("select current_setting('hba_file') as file");
    writeFileSync(rows[0]?.file ?? "", "host all all 127.0.0.1/32 scram-sha-256\n");
    await client.query("select pg_reload_conf()");
    await client.end();
    await until("the rule", async () => {
      const [result] = await Promise.allSettled([run(primary.url, "select 1")]);
      return result.status === "rejected" ? true : null;
    });

    vi.stubEnv("PGPASSFILE", file);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await hostIn(await open(hostOf(standby), hostOf(primary)))).toBe(hostOf(primary));
  });

  it("says why each host was refused if there is no primary", async () => {
    await expect(open("127.0.0.1:1", hostOf(standby))).rejects.toThrow(
      /^Could not connect .* at 127\.0\.0\.1,127\.0\.0\.1: No primary was found: 127\.0\.0\.1:1: .*ECONNREFUSED.*; 127\.0\.0\.1:\d+: it's a standby\. Check DATABASE_URL\.$/,
    );
  });
});

describe("a response that is too late", () => {
  it("closes the connection, so that nothing waits for the statement that is still running", async () => {
    const choice = await freshDatabase(closers);
    if (choice.kind !== "postgres") throw new Error("Bug: this needs PostgreSQL");
    const proxy = await openDatabaseProxy(choice.url);
    closers.push(() => proxy.close());
    const pool = new pg.Pool({ connectionString: proxy.url, Client: PreparingClient, max: 1, query_timeout: 500 });
    pool.on("error", () => {});
    closers.push(() => pool.end());
    const client = await pool.connect();
    proxy.hold();
    await expect(client.query("select 1")).rejects.toThrow("Query read timeout");
    const startedAt = performance.now();
    await expect(client.query("rollback")).rejects.toThrow("Client was closed");
    client.release();
    proxy.release();
    expect((await pool.query("select 2 as two")).rows).toEqual([{ two: 2 }]);
    expect(performance.now() - startedAt).toBeLessThan(400);
  });
});

/** @param pass - gets what a client sends, and passes it on */
async function openProxy({ url }: Pick<TestPostgres, "url">, pass: (data: Buffer, send: () => void) => void) {
  const { port: serverPort, hostname } = new URL(url);
  const sockets: Socket[] = [];
  const { port, close } = await listenLocally(
    createServer((client) => {
      const server = connect(Number(serverPort === "" ? 5432 : serverPort), hostname);
      sockets.push(client, server);
      for (const socket of [client, server]) socket.on("error", () => {});
      client.on("data", (data: Buffer) => pass(data, () => void server.write(data)));
      client.on("close", () => server.destroy());
      server.on("close", () => client.destroy());
      server.pipe(client);
    }),
  );
  const end = async () => {
    for (const socket of sockets) socket.destroy();
    await close();
  };
  return { host: `127.0.0.1:${port}`, close: end };
}

it("listening starts again if the server disappears just after it was connected", async () => {
  const choice = await freshDatabase(closers);
  if (choice.kind !== "postgres") throw new Error("Bug: this needs PostgreSQL");
  let lost = 0;
  const { host, close } = await openProxy(choice, (data, send) => {
    if (data.includes("listen ") && lost === 0) lost += 1;
    else send();
  });
  closers.push(close);
  const url = new URL(choice.url);
  url.host = host;
  const database = await openDatabase({ kind: "postgres", url: url.href });
  closers.push(() => database.close());
  let notified = 0;
  const stopListening = await listen(database, "channel", () => (notified += 1));
  closers.push(stopListening);
  expect({ lost, notified }).toEqual({ lost: 1, notified: 0 });
  await until("the second connection", () => (notified > 0 ? true : null));
});

/** @returns what makes it accept writes again, in new sessions */
async function makeReadOnly(databaseUrl: string): Promise<() => Promise<void>> {
  const name = new URL(databaseUrl).pathname.slice(1);
  await run(
    databaseUrl,
    `alter database ${name} set default_transaction_read_only = true;
     select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
  );
  const writable = new URL(databaseUrl);
  writable.searchParams.set("options", "-c default_transaction_read_only=off");
  return async () => await run(writable.href, `alter database ${name} reset all`);
}

describe("a server that refuses writes for a while", () => {
  it("gets no second write on a connection that it refused one on", async () => {
    const choice = await freshDatabase(closers);
    if (choice.kind !== "postgres") throw new Error("Bug: this needs PostgreSQL");
    const acceptWrites = await makeReadOnly(choice.url);
    const { db, close } = await openDatabase(choice);
    closers.push(close);
    const write = async () => await sql`create table written ()`.execute(db);
    await expect(write()).rejects.toThrow("read-only");
    await acceptWrites();
    await write();
  });

  it("gets the payment that it refused under the same key", async () => {
    const choice = await freshDatabase(closers);
    if (choice.kind !== "postgres") throw new Error("Bug: this needs PostgreSQL");
    const service = await startTestService({ database: choice, role: "api" });
    closers.push(() => service.close());
    const [body, headers] = [{ amount: 4900, currency: "eur" }, { "idempotency-key": "key" }];
    const pay = async () => await service.call("POST", "/api/v1/checkout_sessions", body, headers);
    const acceptWrites = await makeReadOnly(choice.url);
    await pay(); // may get a connection that was just closed
    expect(await pay()).toMatchObject({ status: 503, body: { error: { code: "service_unavailable" } } });
    await acceptWrites();
    await until("the payment", async () => ((await pay()).status === 200 ? true : null));
  });
});
