/**
 * A PostgreSQL primary and a streaming standby, as an operator would run them. A failover kills every process of the
 * primary at once while the standby is a moment behind, promotes the standby, and makes a new standby from a base backup
 * in place of the old primary.
 */
import { execFile, execFileSync, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { openDatabaseProxy, type DatabaseProxy } from "../../packages/server/test/setup/database-proxy.ts";
import {
  createData,
  postgres15,
  preparePlace,
  runServer,
  settingsOf,
  type Place,
} from "../../packages/server/test/setup/postgres.ts";
import { until } from "../../packages/server/test/setup/until.ts";
import { freePort } from "../../scripts/test/free-port.ts";

export interface Pair {
  /** Names both hosts. */
  url: string;
  /** Resolves once the new primary has a standby. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

interface Node {
  name: string;
  data: string;
  port: number;
  server: ChildProcess;
}

/** How far the standby is behind at a failover. On one machine, it would have received everything. */
const lagMs = 250;

/** @param isSynchronous - Whether each commit waits for a standby, even while there is none. */
export async function startPair(isSynchronous: boolean): Promise<Pair> {
  if (!existsSync(postgres15)) throw new Error("--failover needs pg_basebackup. On Debian 12, install postgresql-15.");
  const place = preparePlace(postgres15);
  const settings = [
    ...settingsOf(true),
    "wal_keep_size=1GB", // for a standby that starts after its base backup
    ...(isSynchronous ? ["synchronous_standby_names=ANY 1 (a, b)"] : []),
  ];
  const start = async ({ name, data, port }: Omit<Node, "server">): Promise<Node> => {
    const server = await runServer(place, data, port, [...settings, `cluster_name=${name}`]);
    return { name, data, port, server };
  };
  /** Makes a new standby. */
  const follow = async (leader: Node, { name, data, port }: Omit<Node, "server">): Promise<Node> => {
    line = await openDatabaseProxy(urlOf(leader));
    rmSync(data, { recursive: true, force: true });
    const from = ["--dbname", line.url, "--write-recovery-conf", "--checkpoint", "fast"];
    await promisify(execFile)(join(place.programs, "pg_basebackup"), ["--pgdata", data, ...from], place.where);
    const node = await start({ name, data, port });
    const isStreaming = `select from pg_stat_replication where application_name = '${name}' and state = 'streaming'`;
    await until(`${name} to follow`, async () => ((await rowCount(leader, isStreaming)) > 0 ? true : null));
    return node;
  };
  let line: DatabaseProxy;
  const hosts: [number, number] = [await freePort(), await freePort()];
  let primary = await start({ name: "a", data: createData(place), port: hosts[0] });
  let standby = await follow(primary, { name: "b", data: join(place.base, "standby"), port: hosts[1] });

  return {
    url: `postgres://postgres@${hosts.map((port) => `127.0.0.1:${port}`).join()}/postgres?target_session_attrs=read-write`,
    async failOver() {
      const old = primary;
      line.hold();
      await pause(lagMs);
      await kill(old, place);
      await line.close();
      await rowCount(standby, "select pg_promote()");
      primary = standby;
      standby = await follow(primary, old);
    },
    async stop() {
      for (const { server } of [primary, standby]) {
        const ended = once(server, "exit");
        server.kill("SIGINT");
        await ended;
      }
      await line.close();
      place.remove();
    },
  };
}

/** Kills its processes, too, because some would finish their work without the server. */
async function kill({ server, data }: Node, { where }: Place): Promise<void> {
  const processes = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8").trim().split(" ");
  const memory = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[6]?.trim().split(/\s+/)[1] ?? "";
  const ended = once(server, "exit");
  server.kill("SIGKILL");
  spawnSync("kill", ["-9", ...processes]); // some have already ended
  await ended;
  execFileSync("ipcrm", ["--shmem-id", memory], where); // a server that's killed leaves it behind
}

async function rowCount(node: Node, text: string): Promise<number> {
  const client = new pg.Client(urlOf(node));
  await client.connect();
  try {
    return (await client.query(text)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

function urlOf({ port }: Pick<Node, "port">): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}
