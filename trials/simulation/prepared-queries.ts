/**
 * Runs queries on PGlite with prepared statements. PGlite itself parses and plans each query again, which takes most of the
 * time of a world. The values are the same as those of `PglitePool`.
 */
import { createRequire } from "node:module";
import { protocol, type messages, type PGlite } from "@electric-sql/pglite";
import { valueParser } from "../../packages/server/src/platform/storage/values.ts";

/** As in `pglite-pool.ts`. */
const { prepareValue } = createRequire(import.meta.url)("pg/lib/utils.js") as { prepareValue(value: unknown): unknown };

interface QueryResult {
  rows: Record<string, unknown>[];
  command: string;
  rowCount: number;
}

interface Prepared {
  name: string;
  columns: Column[];
}

interface Column {
  name: string;
  parse(text: string): unknown;
}

const { serialize, Parser } = protocol;
const execute = concat(serialize.execute({}), serialize.sync());

/** @returns a function for queries of a single statement */
export function prepareQueries(pglite: PGlite): (sql: string, values?: readonly unknown[]) => QueryResult {
  const known = new Map<string, Prepared>();
  send(serialize.query("set plan_cache_mode = force_generic_plan"));

  return (sql, values = []) => {
    const { name, columns } = known.get(sql) ?? prepare(sql);
    const bound = values.map((value) => prepareValue(value) as string | Uint8Array | null);
    const bind = serialize.bind({ statement: name, values: bound });
    const result: QueryResult = { rows: [], command: "", rowCount: 0 };
    for (const message of send(concat(bind, execute))) {
      if (message.name === "dataRow") {
        const { fields } = message as messages.DataRowMessage;
        result.rows.push(
          Object.fromEntries(columns.map((column, i) => [column.name, read(column, fields[i] ?? null)])),
        );
      } else if (message.name === "commandComplete") {
        const words = (message as messages.CommandCompleteMessage).text.split(" ");
        result.command = words[0] ?? "";
        result.rowCount = Number(words.at(-1)) || 0;
      }
    }
    return result;
  };

  function prepare(sql: string): Prepared {
    const name = `world_${known.size}`;
    const parse = serialize.parse({ name, text: sql });
    const described = send(concat(parse, serialize.describe({ type: "S", name }), serialize.sync()));
    const fields = described.find(
      (message): message is messages.RowDescriptionMessage => message.name === "rowDescription",
    );
    const columns = (fields?.fields ?? []).map((field) => ({ name: field.name, parse: valueParser(field.dataTypeID) }));
    const prepared = { name, columns };
    known.set(sql, prepared);
    return prepared;
  }

  /** @throws DatabaseError */
  function send(bytes: Uint8Array): messages.BackendMessage[] {
    const received: messages.BackendMessage[] = [];
    new Parser().parse(pglite.execProtocolRawSync(bytes), (message) => void received.push(message));
    const error = received.find(({ name }) => name === "error");
    if (error !== undefined) throw error as messages.DatabaseError;
    return received;
  }
}

function read({ parse }: Column, text: string | null): unknown {
  return text === null ? null : parse(text);
}

function concat(...parts: Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}
