/** The status changes of an application, newest first. */
import { Text, Timeline } from "@mantine/core";
import type { ApplicationStatus, ApplicationStep } from "@oriel/protocol/dashboard/underwriting";
import { useWorkspace } from "../../api/workspace.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";

export function ApplicationHistory({ history }: { history: readonly ApplicationStep[] }) {
  const { href } = useWorkspace();
  return (
    <Section title="History">
      <Timeline bulletSize={14} lineWidth={2} active={history.length}>
        {history.toReversed().map(({ to, reason, created }, index) => (
          <Timeline.Item key={history.length - index} title={steps[to]}>
            <Text size="sm" c="dimmed">
              <DateTime at={created} />
            </Text>
            {reason !== null && (
              <Text size="sm" className="break-anywhere" style={{ whiteSpace: "pre-line" }}>
                {reason}
              </Text>
            )}
          </Timeline.Item>
        ))}
      </Timeline>
      <Text size="sm" mt="sm">
        For all changes and who made them, see the <RouteLink to={href("audit")}>audit log</RouteLink>.
      </Text>
    </Section>
  );
}

const steps: Readonly<Record<ApplicationStatus, string>> = {
  draft: "Started",
  submitted: "Submitted",
  in_review: "Review started",
  needs_information: "More information requested",
  approved: "Approved",
  rejected: "Rejected",
};
