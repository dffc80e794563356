/** The cancel and submit buttons of a form in a dialog. */
import { Button, Group, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";

export interface DialogActionsProps extends Pick<ButtonProps, "color" | "loading" | "disabled"> {
  onCancel: () => void;
  cancel?: string;
  /** The label of the submit button. */
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
