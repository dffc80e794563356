/** Warns of card testing at the checkout, with the numbers of attempts, blocked and approved ones. */
import { Alert, Text } from "@mantine/core";
import type { CardTestingReport } from "@oriel/protocol/api";
import type { CardTesting } from "@oriel/protocol/dashboard/setup";
import { useWorkspace, useWorkspaceQuery } from "../api/workspace.tsx";
import { DateTime } from "../parts/date-time.tsx";
import { DescriptionList } from "../parts/description-list.tsx";
import { NotLoaded } from "../parts/not-loaded.tsx";
import { RouteLink } from "../parts/route-link.tsx";

/**
 * @param show which card testing: the layout shows an ongoing one on every page, and the overview also one that has ended.
 * The overview also says if the report can't be loaded
 */
export function CardTestingAlert({ show }: { show: "ongoing" | "ended" }) {
  const testing = useWorkspaceQuery<CardTesting>("card-testing");
  if (testing.data === undefined)
    return show === "ended" ? <NotLoaded query={testing} what="whether someone tested stolen cards" /> : null;
  const { report } = testing.data;
  if (report === null || (report.ended_at === null ? "ongoing" : "ended") !== show) return null;
  return <Report report={report} />;
}

function Report({
  report: { started_at, ended_at, attempts, blocked, declined, approved },
}: {
  report: CardTestingReport;
}) {
  const { href } = useWorkspace();
  const isOngoing = ended_at === null;
  const period = new URLSearchParams({ from: String(started_at), ...(!isOngoing && { to: String(ended_at + 1) }) });
  return (
    <Alert
      color={isOngoing ? "red" : "gray"}
      variant="outline"
      mb="md"
      title={
        isOngoing
          ? "Someone may be testing stolen cards at your checkout"
          : "Someone may have tested stolen cards at your checkout"
      }
    >
      <DescriptionList
        facts={[
          { name: "Since", value: <DateTime at={started_at} /> },
          { name: "Until", value: isOngoing ? null : <DateTime at={ended_at} /> },
          { name: "Attempts by new customers", value: attempts.toLocaleString("en") },
          { name: "Blocked before authorization", value: blocked.toLocaleString("en") },
          { name: "Declined by the issuer", value: declined.toLocaleString("en") },
          { name: "Approved", value: approved.toLocaleString("en") },
        ]}
      />
      <Text size="sm" mt="xs">
        {isOngoing
          ? "Oriel is limiting the attack. Until it ends, new customers may have to pass a challenge. Returning customers aren't affected. "
          : ""}
        Check the approved payments, and refund any that you don't recognize before the cardholders dispute them.{" "}
        <RouteLink to={`${href("payments")}?${period}`}>View payments</RouteLink>
      </Text>
    </Alert>
  );
}
