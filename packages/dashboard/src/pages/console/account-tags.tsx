/** Shows whether an account is active and whether it's approved for live mode. */
import { Group } from "@mantine/core";
import type { AccountFound } from "@oriel/protocol/dashboard/underwriting";
import { Tag } from "../../parts/tag.tsx";

export function AccountTags({
  account: { status, is_live_approved },
}: {
  account: Pick<AccountFound, "status" | "is_live_approved">;
}) {
  return (
    <Group gap="xs" display="inline-flex">
      {status === "active" ? <Tag tone="good">Active</Tag> : <Tag tone="bad">Suspended</Tag>}
      {is_live_approved ? <Tag tone="good">Live mode approved</Tag> : <Tag tone="plain">Test mode only</Tag>}
    </Group>
  );
}
