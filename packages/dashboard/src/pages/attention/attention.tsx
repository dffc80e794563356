/** The items that need attention: open items first, then resolved ones. */
import { Button, Group, Stack, Title } from "@mantine/core";
import type { AttentionItem } from "@oriel/protocol/dashboard/acquirers";
import { useWorkspaceList } from "../../api/workspace.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { Waiting } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { EmptyState } from "../../parts/record-table.tsx";
import { AttentionCard } from "./attention-card.tsx";

export function Attention() {
  return (
    <Page
      title="Needs attention"
      lead="Payments that Oriel can't complete or correct alone. Check them at your acquirer, and mark them as resolved."
    >
      <ItemList title="Open" state="open" empty="Nothing needs your attention." />
      <ItemList title="Resolved" state="resolved" empty="No resolved items." />
    </Page>
  );
}

function ItemList({ title, state, empty }: { title: string; state: "open" | "resolved"; empty: string }) {
  const query = useWorkspaceList<AttentionItem>("attention", new URLSearchParams({ state }));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const items = data?.pages.flatMap((page) => page.data);
  return (
    <Stack component="section" aria-label={title} gap="sm">
      <Title order={2}>{title}</Title>
      {items === undefined && error === null && <Waiting lines={4} />}
      {items?.length === 0 && <EmptyState>{empty}</EmptyState>}
      {items?.map((item) => (
        <AttentionCard key={item.id} item={item} />
      ))}
      <ErrorAlert error={error} onRetry={() => void (items === undefined ? refetch() : fetchNextPage())} />
      {hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </Group>
      )}
    </Stack>
  );
}
