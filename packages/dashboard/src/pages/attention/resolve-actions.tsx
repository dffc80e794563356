/** Resolves an item, or ends what it's about as failed. The service asks the user to confirm their identity first. */
import { Button, Group, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AttentionItem, ResolveAttention } from "@oriel/protocol/dashboard/acquirers";
import { request } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { focusTitle } from "../../parts/page.tsx";
import { sentence } from "../payments/payment-labels.tsx";
import { attentionWords, failureOf } from "./attention-words.ts";

export function ResolveActions({ item }: { item: AttentionItem }) {
  const workspace = useWorkspace();
  const client = useQueryClient();
  const [isFailing, setIsFailing] = useState(false);
  const { title } = attentionWords[item.kind];
  const failure = failureOf(item);
  const resolve = async (body: ResolveAttention) =>
    await request<AttentionItem>(workspace.data(`attention/${item.id}/resolve`), { method: "POST", body });
  const changed = (message: string) => {
    notifications.show({ message });
    focusTitle(); // the buttons are about to disappear
    for (const path of ["attention", "payments"]) void client.invalidateQueries({ queryKey: workspace.key(path) });
  };
  const resolving = useMutation({ mutationFn: () => resolve({}), onSuccess: () => changed("Marked as resolved") });
  return (
    <Stack gap="sm">
      <ErrorAlert error={resolving.error} />
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          loading={resolving.isPending}
          onClick={() => resolving.mutate()}
          aria-label={`Mark as resolved: ${title}`}
        >
          Mark as resolved
        </Button>
        {failure !== null && (
          <Button size="xs" variant="default" onClick={() => setIsFailing(true)}>
            Mark as failed
          </Button>
        )}
      </Group>
      {failure !== null && (
        <ConfirmDialog
          isOpen={isFailing}
          onClose={() => setIsFailing(false)}
          title={`Mark ${failure.what} as failed?`}
          action="Mark as failed"
          run={() => resolve({ mark_failed: true })}
          onDone={() => {
            setIsFailing(false);
            changed(`${sentence(failure.what)} marked as failed`);
          }}
        >
          Do this only if your acquirer's records don't show the {failure.what}, or show that it failed. It ends as
          failed
          {failure.event !== null && (
            <>
              , and your server receives <code>{failure.event}</code>
            </>
          )}
          . {failure.after} You can't undo this.
        </ConfirmDialog>
      )}
    </Stack>
  );
}
