/** Says on the overview that disputes or payments wait for a person. On narrow screens, the navigation is hidden. */
import { Alert, Group } from "@mantine/core";
import type { AttentionCount } from "@oriel/protocol/dashboard/acquirers";
import { useWorkspace, useWorkspaceQuery } from "../../api/workspace.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { RouteLink } from "../../parts/route-link.tsx";

export function WorkAlert() {
  const { href } = useWorkspace();
  const counts = useWorkspaceQuery<AttentionCount>("attention/count");
  if (counts.data === undefined)
    return <NotLoaded query={counts} what="whether disputes or payments need your attention" />;
  const { attention, disputes } = counts.data;
  if (attention + disputes === 0) return null;
  return (
    <Alert color="red" variant="outline" title="Needs attention">
      <Group gap="xs">
        {disputes > 0 && (
          <RouteLink to={`${href("disputes")}?status=needs_response`}>
            {disputes === 1 ? "1 dispute to respond to" : `${counted(disputes)} disputes to respond to`}
          </RouteLink>
        )}
        {attention > 0 && (
          <RouteLink to={href("attention")}>
            {attention === 1
              ? "1 item to check at your acquirer"
              : `${counted(attention)} items to check at your acquirer`}
          </RouteLink>
        )}
      </Group>
    </Alert>
  );
}

/** The service stops counting at 100. */
function counted(count: number): string {
  return count > 99 ? "99+" : String(count);
}
