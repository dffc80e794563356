/** Commands that read and verify the audit log. They never write to it. */
import { table, type Command } from "@oriel/commands";
import { OperatorError } from "@oriel/commands/operator-error";
import { listAudit } from "../merchants/audit/list-audit.ts";
import { readHead, verifyChain, writeHead } from "../merchants/audit/verify-chain.ts";
import { withDatabase } from "./with-database.ts";

export const auditCommands: Command[] = [
  {
    name: "audit verify",
    takes: [],
    options: { expect: { value: "SEQ:HASH" } },
    summary: "Verify the audit log's hash chain and print its head",
    details: `Detects rows that were changed, removed or inserted. Stops at the first invalid row, reports it and exits with code 1.

Options
  --expect  the head printed by an earlier run, to check that the log still contains it

Keep a copy of the head outside the database. Without --expect, the command can't detect that rows were removed from
the end or that the whole log was rewritten.`,
    run: async ({ option, env, print, log }) => {
      const expected = option("expect");
      const noted = expected === undefined ? null : readHead(expected.trim());
      if (expected !== undefined && noted === null)
        throw new OperatorError(
          `--expect is ${JSON.stringify(expected)}, but it must be the head printed by \`oriel-server audit verify\`.`,
        );
      const verdict = await withDatabase(env, ({ db }) => verifyChain(db, noted));
      if (!verdict.isIntact) {
        log(verdict.fault.what);
        return 1;
      }
      print(writeHead(verdict.head));
      return 0;
    },
  },
  {
    name: "audit list",
    takes: [],
    options: { account: { value: "ACCOUNT" }, limit: { value: "1-100" } },
    summary: "List recent audit log entries, newest first",
    details: `Options
  --account  show only this account's entries
  --limit    number of entries, 1 to 100 (default 20)`,
    run: async ({ option, env, print }) => {
      const limit = option("limit") ?? "20";
      if (!/^([1-9]|[1-9][0-9]|100)$/.test(limit))
        throw new OperatorError(`--limit is ${JSON.stringify(limit)}, but it must be a number from 1 to 100.`);
      const { data } = await withDatabase(env, ({ db }) => listAudit(db, option("account") ?? null, { limit }));
      const rows = data.map((row) => [
        String(row.sequence),
        `${row.created_at.toISOString().slice(0, 19).replace("T", " ")} UTC`,
        row.actor,
        row.outcome === "done" ? row.action : `${row.action} (${row.outcome})`,
        row.object_id ?? "",
        JSON.stringify(row.details),
      ]);
      print(table([["row", "time", "actor", "action", "object", "details"], ...rows]));
    },
  },
];
