/** Who changed what on the account, in both modes: rows that nobody can change or remove, this team least of all. */
import { Group, Text } from "@mantine/core";
import type { AuditEntry } from "@oriel/protocol/dashboard-log";
import { isolate } from "@oriel/protocol/isolate";
import { useDeskList } from "../../api/desk.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { Tag } from "../../parts/tag.tsx";

export function Audit() {
  const query = useDeskList<AuditEntry>("audit");
  return (
    <Page
      title="Audit"
      lead="Who changed what on this account, in test and live mode. Nothing here can be changed or removed."
    >
      <PagedTable
        label="Audit log"
        query={query}
        rowKey={({ id }) => id}
        empty="Nothing has been changed yet."
        columns={[
          { name: "Time", cell: ({ created }) => <Moment at={created} /> },
          { name: "Who", cell: ({ actor }) => actor },
          {
            name: "What",
            cell: ({ action, outcome }) => (
              <Group gap="xs" wrap="nowrap">
                <Text size="sm" ff="monospace">
                  {action}
                </Text>
                {outcome === "refused" && <Tag tone="bad">Refused</Tag>}
              </Group>
            ),
          },
          { name: "Details", cell: (entry) => <Details entry={entry} /> },
          {
            name: "To what",
            cell: ({ object_id }) => (
              <Text size="sm" ff="monospace">
                {object_id ?? "-"}
              </Text>
            ),
          },
        ]}
      />
    </Page>
  );
}

/** Names and values as they were recorded: what somebody typed is among them. */
function Details({ entry: { details } }: { entry: AuditEntry }) {
  const known = Object.entries(details).filter(([, value]) => value !== null && value !== "");
  if (known.length === 0) return "-";
  return (
    <Text size="sm" className="break-anywhere" miw={220} maw={420} style={{ whiteSpace: "normal" }}>
      {known.map(([name, value]) => `${name}: ${isolate(String(value))}`).join(", ")}
    </Text>
  );
}
