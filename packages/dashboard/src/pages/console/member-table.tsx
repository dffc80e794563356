/** The members of an account in the console. */
import type { OperatorAccount } from "@oriel/protocol/dashboard/underwriting";
import { DateTime } from "../../parts/date-time.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { roleWords } from "../team/roles.ts";

export function MemberTable({ members }: Pick<OperatorAccount, "members">) {
  return (
    <RecordTable
      label="Members"
      items={members}
      rowKey={({ email }) => email}
      empty="No members. This account was created without the dashboard."
      columns={[
        { name: "Member", cell: ({ name }) => name },
        { name: "Email", cell: ({ email }) => email },
        { name: "Role", cell: ({ role }) => roleWords[role].name },
        { name: "Joined", cell: ({ created }) => <DateTime at={created} /> },
      ]}
    />
  );
}
