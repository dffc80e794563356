/** The team of an account, as an operator sees it. */
import type { OperatorAccount } from "@oriel/protocol/dashboard-underwriting";
import { Moment } from "../../parts/moment.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { roleWords } from "../team/roles.ts";

export function MemberTable({ members }: Pick<OperatorAccount, "members">) {
  return (
    <RecordTable
      label="List of members"
      items={members}
      rowKey={({ email }) => email}
      empty="Nobody is in its team: it was made without the dashboard."
      columns={[
        { name: "Member", cell: ({ name }) => name },
        { name: "E-mail address", cell: ({ email }) => email },
        { name: "Role", cell: ({ role }) => roleWords[role].name },
        { name: "Since", cell: ({ created }) => <Moment at={created} /> },
      ]}
    />
  );
}
