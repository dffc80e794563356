/**
 * Rotates a key or a signing secret. The old and the new one both work for a while, so that servers can switch without
 * downtime.
 */
import { NativeSelect, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { overlaps, type Overlap } from "@oriel/protocol/api";
import { DialogActions } from "../../parts/dialog-actions.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";

/** How long the old key or secret keeps working. */
const words: Readonly<Record<Overlap, string>> = {
  now: "No overlap (expires now)",
  "1h": "1 hour",
  "24h": "24 hours",
  "7d": "7 days",
};
const choices = overlaps.map((value) => ({ value, label: words[value] }));

export interface OverlapDialogProps<Made> {
  title: string;
  /** What happens and what to do next. */
  children: string;
  /** The label of the choice of overlaps. */
  label: string;
  /** The label of the button. */
  action: string;
  run: (overlap: Overlap) => Promise<Made>;
  onClose: () => void;
  onDone: (made: Made) => void;
}

export function OverlapDialog<Made>({
  title,
  children,
  label,
  action,
  run,
  onClose,
  onDone,
}: OverlapDialogProps<Made>) {
  const [overlap, setOverlap] = useState<Overlap>("24h");
  const sending = useMutation({ mutationFn: () => run(overlap), onSuccess: onDone });
  return (
    <Dialog onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          sending.mutate();
        }}
      >
        <Stack>
          <Text size="sm">{children}</Text>
          <NativeSelect
            label={label}
            value={overlap}
            onChange={(event) => setOverlap(event.currentTarget.value as Overlap)} // one of the choices
            data={choices}
            data-autofocus
          />
          <ErrorAlert error={sending.error} />
          <DialogActions onCancel={onClose} loading={sending.isPending}>
            {action}
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
