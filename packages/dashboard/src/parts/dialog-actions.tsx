/** At the foot of a form in a dialog: the way back, and the button that sends it. */
import { Button, Group, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";

export interface DialogActionsProps extends Pick<ButtonProps, "color" | "loading" | "disabled"> {
  onCancel: () => void;
  cancel?: string;
  /** What sending is called. */
  children: ReactNode;
}

export function DialogActions({ onCancel, cancel = "Cancel", children, ...submit }: DialogActionsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        {cancel}
      </Button>
      <Button type="submit" {...submit}>
        {children}
      </Button>
    </Group>
  );
}
