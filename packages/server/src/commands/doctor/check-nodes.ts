/** Checks the nodes of a Citus cluster: that they're reachable, and have the settings without which payments fail. */
import { sql } from "kysely";
import type { Database } from "../../platform/storage/database.ts";
import { undelegated, undistributed } from "../../platform/storage/distribute.ts";
import { storedFunctions } from "../../stored-functions.ts";
import type { Finding } from "./finding.ts";

interface Node {
  name: string;
  isActive: boolean;
  isReachable: boolean;
  unsafeTriggers: string;
  preparedTransactions: string;
  walLevel: string;
}

/** @returns null if there's no cluster */
export async function checkNodes({ db, engine }: Pick<Database, "db" | "engine">): Promise<Finding | null> {
  if (engine !== "citus") return null;
  const nodes = await readNodes(db);
  const named = (list: readonly Node[]) => list.map(({ name }) => name).join(", ");

  const lost = nodes.filter((node) => !node.isActive || !node.isReachable);
  if (lost.length > 0)
    return { verdict: "failed", found: `not reachable: ${named(lost)}`, todo: "start these nodes, or remove them" };
  const settings: [setting: string, verdict: Finding["verdict"], isWrong: (node: Node) => boolean][] = [
    ["citus.enable_unsafe_triggers = on", "failed", ({ unsafeTriggers }) => unsafeTriggers !== "on"],
    ["max_prepared_transactions = 200", "failed", ({ preparedTransactions }) => preparedTransactions === "0"],
    ["wal_level = logical", "warning", ({ walLevel }) => walLevel !== "logical"],
  ];
  for (const [setting, verdict, isWrong] of settings) {
    const wrong = nodes.filter(isWrong);
    if (wrong.length > 0) return { verdict, found: `${named(wrong)} without ${setting}`, todo: "set it and restart" };
  }
  const tables = await undistributed(db);
  if (tables.length > 0)
    return {
      verdict: "failed",
      found: `not distributed: ${tables.join(", ")}`,
      todo: "stop all processes, and run `oriel-server migrate --distribute`",
    };
  const functions = await undelegated(db, storedFunctions);
  if (functions.length > 0)
    return {
      verdict: "failed",
      found: `functions that don't run on the workers: ${functions.join(", ")}`,
      todo: "run `oriel-server migrate`",
    };
  return { verdict: "ok", found: `the tables are distributed, and these nodes are reachable: ${named(nodes)}` };
}

async function readNodes(db: Database["db"]): Promise<Node[]> {
  const { rows } = await sql<Omit<Node, "unsafeTriggers" | "preparedTransactions" | "walLevel"> & { settings: string }>`
    select node.nodename || ':' || node.nodeport as name, node.isactive as "isActive", reply.success as "isReachable",
      reply.result as settings
    from run_command_on_all_nodes(
      $$ select concat_ws(' ', current_setting('citus.enable_unsafe_triggers'),
        current_setting('max_prepared_transactions'), current_setting('wal_level')) $$,
      give_warning_for_connection_errors => true
    ) reply
    join pg_dist_node node using (nodeid)
    order by node.groupid`.execute(db);
  return rows.map(({ settings, ...node }) => {
    const [unsafeTriggers = "", preparedTransactions = "", walLevel = ""] = settings.split(" ");
    return { ...node, unsafeTriggers, preparedTransactions, walLevel };
  });
}
