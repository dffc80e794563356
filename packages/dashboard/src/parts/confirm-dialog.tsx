/** Asks for confirmation before an action that can't be undone. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Dialog } from "./dialog.tsx";
import { ErrorAlert } from "./error-alert.tsx";

export interface ConfirmDialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** The consequences of the action. */
  children: ReactNode;
  /** The label of the button. */
  action: string;
  run: () => Promise<unknown>;
  onDone: () => void;
}

export function ConfirmDialog({ isOpen, onClose, title, children, action, run, onDone }: ConfirmDialogProps) {
  const running = useMutation({ mutationFn: run, onSuccess: onDone });
  const close = () => {
    running.reset();
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title={title}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        <ErrorAlert error={running.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button color="red.9" onClick={() => running.mutate()} loading={running.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
