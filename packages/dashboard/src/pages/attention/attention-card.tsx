/** One item that needs attention: what happened, what is known about it, and what to do. */
import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useId } from "react";
import type { AttentionItem } from "@oriel/protocol/dashboard/acquirers";
import { useWorkspace } from "../../api/workspace.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { DescriptionList } from "../../parts/description-list.tsx";
import { RecordId } from "../../parts/record-id.tsx";
import { Tag } from "../../parts/tag.tsx";
import { detailFacts } from "./attention-details.ts";
import { attentionWords } from "./attention-words.ts";
import { ResolveActions } from "./resolve-actions.tsx";

export interface AttentionCardProps {
  item: AttentionItem;
  /** On the payment's own page, the payment isn't linked. */
  isOnPayment?: boolean;
}

export function AttentionCard({ item, isOnPayment = false }: AttentionCardProps) {
  const { may } = useWorkspace();
  const heading = useId();
  const { title, meaning, todo } = attentionWords[item.kind];
  const { charge_id, created, resolved, resolved_by } = item;
  return (
    <Paper withBorder p="md" component="article" aria-labelledby={heading}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={3} id={heading}>
            {title}
          </Title>
          {resolved === null ? <Tag tone="bad">Open</Tag> : <Tag tone="plain">Resolved</Tag>}
        </Group>
        <Text size="sm" maw="70ch">
          {meaning}
        </Text>
        {resolved === null && (
          <Text size="sm" maw="70ch">
            <strong>What to do:</strong> {todo}
          </Text>
        )}
        <DescriptionList
          facts={[
            {
              name: "Payment ID",
              value:
                charge_id === null || isOnPayment ? null : <RecordId id={charge_id} what={`payment ID ${charge_id}`} />,
            },
            { name: "Since", value: <DateTime at={created} /> },
            ...detailFacts(item),
            { name: "Resolved", value: resolved === null ? null : <DateTime at={resolved} /> },
            {
              name: "Resolved by",
              value: resolved === null ? null : (resolved_by ?? "Oriel, because the acquirer reported the outcome"),
            },
          ]}
        />
        {resolved === null && may("payments.manage") && <ResolveActions item={item} />}
      </Stack>
    </Paper>
  );
}
