/** The status changes of an application, oldest first, with their actors and reasons, including internal ones. */
import { Text, Timeline } from "@mantine/core";
import type { ApplicationTransition } from "@oriel/protocol/dashboard/underwriting";
import { DateTime } from "../../parts/date-time.tsx";
import { statusName } from "../application/application-status.tsx";

export function TransitionList({ transitions }: { transitions: readonly ApplicationTransition[] }) {
  return (
    <Timeline bulletSize={14} lineWidth={2} active={transitions.length}>
      {transitions.map(({ actor, from, to, reason, created }, index) => (
        <Timeline.Item key={index} title={from === null ? "Started" : statusName(to)}>
          <Text size="sm" c="dimmed" className="break-anywhere">
            <DateTime at={created} />, by {actor.replace(/^login /, "")}
          </Text>
          {reason !== null && (
            <Text size="sm" className="break-anywhere" style={{ whiteSpace: "pre-line" }}>
              {reason}
            </Text>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
