/**
 * Databases on a Citus cluster that someone has (`ORIEL_CITUS_URL`, the URL of any database on the coordinator in which
 * the workers are registered). Each exists on all nodes under the same name.
 */
import pg from "pg";
import { createDatabase, onServer, urlOf } from "./create-database.ts";

export interface Cluster {
  coordinator: string;
  workers: string[];
}

export async function readCluster(coordinator: string): Promise<Cluster> {
  const client = new pg.Client({ connectionString: coordinator });
  await client.connect();
  const { rows } = await client
    .query<{ host: string; port: number }>(
      "select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and noderole = 'primary'",
    )
    .finally(() => client.end());
  const workers = rows.map(({ host, port }) => {
    const url = new URL(coordinator);
    url.host = `${host}:${port}`;
    return url.href;
  });
  return { coordinator, workers };
}

/** @param template a database on all nodes, from {@link createClusterTemplate} */
export async function createClusterDatabase({ coordinator, workers }: Cluster, template?: string) {
  const { name, url, drop } = await createDatabase(coordinator, template);
  const statement = (text: string) => Promise.all(workers.map((worker) => onServer(worker, text)));
  await statement(`create database ${name} template ${template ?? "template1"} strategy file_copy`);
  return {
    name,
    url,
    async drop() {
      await drop();
      await statement(`drop database ${name} with (force)`);
    },
  };
}

/** @param prepare adds to the database, which has the extension and the workers */
export async function createClusterTemplate(cluster: Cluster, prepare: (url: string) => Promise<void>) {
  const database = await createClusterDatabase(cluster);
  const { name, url } = database;
  const nodes = [cluster.coordinator, ...cluster.workers];
  for (const node of nodes) await onServer(urlOf(node, name), "create extension citus");
  const { hostname, port } = new URL(cluster.coordinator);
  await onServer(url, `select citus_set_coordinator_host('${hostname}', ${port || 5432})`);
  for (const worker of cluster.workers) {
    const { hostname: host, port: workerPort } = new URL(worker);
    await onServer(url, `select citus_add_node('${host}', ${workerPort || 5432})`);
  }
  await prepare(url);
  // A database with a connection can't be copied, and Citus keeps one open to each.
  for (const node of nodes) {
    await onServer(node, `alter database ${name} allow_connections false`);
    await onServer(node, `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`);
  }
  return database;
}
