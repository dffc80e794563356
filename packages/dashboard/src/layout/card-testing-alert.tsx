/** Says that someone is probably trying stolen cards at the checkout, or has, and what was attempted, stopped and let through. */
import { Alert, Text } from "@mantine/core";
import type { AttackReport } from "@oriel/protocol/api";
import type { CardTesting } from "@oriel/protocol/dashboard-setup";
import { useDesk, useDeskQuery } from "../api/account-mode.tsx";
import { DateTime } from "../parts/date-time.tsx";
import { DescriptionList } from "../parts/description-list.tsx";
import { RouteLink } from "../parts/route-link.tsx";

/** @param isOver whether to show an attack that has ended, too */
export function CardTestingAlert({ isOver }: { isOver: boolean }) {
  const { data } = useDeskQuery<CardTesting>("card-testing");
  const report = data?.report ?? null;
  if (report === null || (report.ended_at !== null) !== isOver) return null;
  return <Report report={report} />;
}

function Report({ report: { started_at, ended_at, attempts, stopped, declined, approved } }: { report: AttackReport }) {
  const { href } = useDesk();
  const isOngoing = ended_at === null;
  return (
    <Alert
      color={isOngoing ? "red" : "gray"}
      variant="outline"
      mb="md"
      title={
        isOngoing ? "Someone is trying stolen cards at your checkout" : "Someone tried stolen cards at your checkout"
      }
    >
      <DescriptionList
        facts={[
          { name: "Since", value: <DateTime at={started_at} /> },
          { name: "Until", value: isOngoing ? null : <DateTime at={ended_at} /> },
          { name: "Attempts by new customers", value: attempts.toLocaleString("en") },
          { name: "Stopped before the bank was asked", value: stopped.toLocaleString("en") },
          { name: "Declined by the bank", value: declined.toLocaleString("en") },
          { name: "Approved", value: approved.toLocaleString("en") },
        ]}
      />
      <Text size="sm" mt="xs">
        {isOngoing
          ? "You don't have to do anything. Until it's over, new customers may have to confirm payments with their bank. "
          : ""}
        Most approved payments are probably by legitimate customers. Refund those that you don't recognize before their
        cardholders dispute them. <RouteLink to={href("payments")}>View payments</RouteLink>
      </Text>
    </Alert>
  );
}
