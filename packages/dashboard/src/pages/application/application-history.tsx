/** What became of the application, step by step, from the account's audit log; each saving of a draft is left out. */
import { Text, Timeline } from "@mantine/core";
import type { AuditEntry, AuditRows } from "@oriel/protocol/dashboard-log";
import { useDesk, useDeskQuery } from "../../api/desk.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { historyPath } from "./use-application.ts";

export function ApplicationHistory({ id }: { id: string }) {
  const { href } = useDesk();
  const query = useDeskQuery<AuditRows>(historyPath);
  return (
    <Section title="History">
      <Loaded query={query} lines={2}>
        {({ data }) => <Steps entries={data.filter(({ object_id, action }) => object_id === id && action in steps)} />}
      </Loaded>
      <Text size="sm" mt="sm">
        All that was done, and by whom, is in <RouteLink to={href("audit")}>the audit log</RouteLink>.
      </Text>
    </Section>
  );
}

function Steps({ entries }: { entries: readonly AuditEntry[] }) {
  if (entries.length === 0) return <Text size="sm">It has not been submitted yet.</Text>;
  return (
    <Timeline bulletSize={14} lineWidth={2} active={entries.length}>
      {entries.map(({ id, action, actor, created, details: { reason } }) => (
        <Timeline.Item key={id} title={steps[action]}>
          <Text size="sm" c="dimmed" className="break-anywhere">
            <Moment at={created} />
            {action === "application.submitted" && `, by ${actor.replace(/^login /, "")}`}
          </Text>
          {typeof reason === "string" && (
            <Text size="sm" className="break-anywhere" style={{ whiteSpace: "pre-line" }}>
              {reason}
            </Text>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

const steps: Readonly<Record<string, string>> = {
  "application.submitted": "Submitted",
  "application.review_started": "Taken into review",
  "application.information_requested": "The operator asked for more",
  "application.approved": "Approved",
  "application.rejected": "Rejected",
};
