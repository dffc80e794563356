/** Tests `/readyz`: a process whose database isn't writable takes no traffic, and frequent probes are cheap. */
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { recordStatements } from "./setup/recorded-statements.ts";
import { openSmallDisk, type SmallDisk } from "./setup/small-disk.ts";
import { startTestService, type TestService } from "./setup/test-service.ts";

const server = inject("postgresUrl") ?? "";
const closers = closersFor(afterEach);
let disk: SmallDisk;
let service: TestService;
beforeEach(async () => {
  disk = await openSmallDisk(server, closers);
  service = await startTestService({ database: disk.database, role: "api" });
  closers.push(() => service.close());
});

const ready = { status: 200, body: { status: "ok" } };
const unavailable = { status: 503, body: { status: "unavailable", reason: "database" } };
const validMs = 5_000;
const probe = () => service.call("GET", "/readyz");

async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const { pathname } = new URL(disk.database.kind === "postgres" ? disk.database.url : "");
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`alter database ${pathname.slice(1)} set default_transaction_read_only = ${String(isReadOnly)}`);
  await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [pathname.slice(1)]);
  await client.end();
}

describe("/readyz", () => {
  it("fails while the database's disk is full and succeeds again when there is space", async () => {
    expect(await probe()).toMatchObject(ready);
    await disk.fill();
    service.moveClock(validMs);
    expect(await probe()).toMatchObject(unavailable);
    expect(await service.call("GET", "/healthz")).toMatchObject(ready);
    // Control: statements that need no space still work, so a check that only reads or updates a row in place would not
    // notice.
    const row = service.context.db.updateTable("write_check").set({ written_at: new Date() });
    expect((await row.executeTakeFirstOrThrow()).numUpdatedRows).toBe(1n);

    await disk.empty();
    service.moveClock(validMs);
    expect(await probe()).toMatchObject(ready);
  });

  it("fails while the database is read-only, and payments fail as unavailable rather than as a bug", async () => {
    await setReadOnly(true);
    await probe(); // may get a connection that was just closed
    service.moveClock(validMs);
    expect(await probe()).toMatchObject(unavailable);
    const refused = await service.call("POST", "/api/v1/checkout_sessions", { amount: 4900, currency: "eur" });
    expect(refused).toMatchObject({ status: 503, body: { error: { code: "service_unavailable" } } });
    await setReadOnly(false);
    service.moveClock(validMs);
    await probe(); // may get a connection that was just closed
    service.moveClock(validMs);
    expect(await probe()).toMatchObject(ready);
  });

  it("fails while the process is stopping, when it is still alive", async () => {
    expect(await probe()).toMatchObject(ready);
    service.context.readiness.stop();
    expect(await probe()).toMatchObject({ status: 503, body: { status: "unavailable", reason: "stopping" } });
    for (const path of ["/livez", "/healthz"]) expect(await service.call("GET", path)).toMatchObject(ready);
  });

  it("writes once for all probes within five seconds, however many arrive at once", async () => {
    const writes = async (work: () => Promise<unknown>) =>
      (await recordStatements(work)).filter(({ text }) => text.includes('update "write_check"')).length;
    const many = () => Promise.all(Array.from({ length: 20 }, probe));
    expect(await writes(many)).toBe(1);
    expect(await writes(many)).toBe(0);
    service.moveClock(validMs);
    expect(await writes(many)).toBe(1);
    service.moveClock(-validMs); // a clock that went backwards doesn't keep an old response
    expect(await writes(many)).toBe(1);
  });
});
