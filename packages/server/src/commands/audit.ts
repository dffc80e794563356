/** `oriel audit ...` Reads the audit log and changes nothing of it, as everything else. */
import { listAudit } from "../merchants/audit/list-audit.ts";
import { readHead, verifyChain, writeHead } from "../merchants/audit/verify-chain.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { table, type Command } from "./command.ts";
import { withDatabase } from "./with-database.ts";

export const auditCommands: Command[] = [
  {
    name: "audit verify",
    takes: [],
    options: { expect: { value: "SEQ:HASH" } },
    summary: "check that no row of the audit log was changed, removed or put in, and print its head",
    details:
      "Exit code 1 and the first row that does not fit, where one does not. Note the head somewhere else: with --expect and an earlier head it checks that the log still leads through that one, which alone tells of rows that were cut off at the end or written anew.",
    run: async ({ option, env, print, tell }) => {
      const expected = option("expect");
      const noted = expected === undefined ? null : readHead(expected.trim());
      if (expected !== undefined && noted === null)
        throw new OperatorError(
          `--expect is ${JSON.stringify(expected)}; it must be a head as \`oriel audit verify\` prints it.`,
        );
      const verdict = await withDatabase(env, ({ db }) => verifyChain(db, noted));
      if (!verdict.isWhole) {
        tell(verdict.fault.what);
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
    summary: "list what was done last, newest first (default: 20)",
    run: async ({ option, env, print }) => {
      const limit = option("limit") ?? "20";
      if (!/^([1-9]|[1-9][0-9]|100)$/.test(limit))
        throw new OperatorError(`--limit is ${JSON.stringify(limit)}; it must be a number from 1 to 100.`);
      const { data } = await withDatabase(env, ({ db }) => listAudit(db, option("account") ?? null, { limit }));
      const rows = data.map((row) => [
        String(row.sequence),
        `${row.created_at.toISOString().slice(0, 19).replace("T", " ")} UTC`,
        row.actor,
        row.outcome === "done" ? row.action : `${row.action} (${row.outcome})`,
        row.object_id ?? "",
        JSON.stringify(row.details),
      ]);
      print(table([["row", "when", "who", "what", "to", "details"], ...rows]));
    },
  },
];
