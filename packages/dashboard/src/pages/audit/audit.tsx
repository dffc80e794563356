/** Who changed what in the account, in both modes. Nobody can edit or delete the entries. */
import { Group, Text } from "@mantine/core";
import type { AuditEntry } from "@oriel/protocol/dashboard/log";
import { isolate } from "@oriel/protocol/isolate";
import { useWorkspaceList } from "../../api/workspace.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordId } from "../../parts/record-id.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { Tag } from "../../parts/tag.tsx";

export function Audit() {
  const query = useWorkspaceList<AuditEntry>("audit");
  return (
    <Page
      title="Audit log"
      lead="Who changed what in this account, in test and live mode. Entries can't be edited or deleted."
    >
      <PagedTable
        label="Audit log"
        query={query}
        rowKey={({ id }) => id}
        empty="No changes yet."
        columns={[
          { name: "Time", cell: ({ created }) => <DateTime at={created} /> },
          { name: "Actor", cell: ({ actor }) => actor },
          { name: "IP address", cell: ({ address }) => address ?? "-" },
          {
            name: "Action",
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
            name: "Object ID",
            cell: ({ object_id }) => (object_id === null ? "-" : <RecordId id={object_id} what={`ID ${object_id}`} />),
          },
        ]}
      />
    </Page>
  );
}

/** The recorded names and values. Some are user input, so their text direction is isolated. */
function Details({ entry: { details } }: { entry: AuditEntry }) {
  const known = Object.entries(details).filter(([, value]) => value !== null && value !== "");
  if (known.length === 0) return "-";
  return (
    <Text size="sm" className="break-anywhere" miw={220} maw={420} style={{ whiteSpace: "normal" }}>
      {known.map(([name, value]) => `${name}: ${isolate(String(value))}`).join(", ")}
    </Text>
  );
}
