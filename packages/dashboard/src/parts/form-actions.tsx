/** The submit button of a form in a page, and a cancel button if the user can close the form. */
import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";

export interface FormActionsProps {
  loading: boolean;
  onCancel: (() => void) | undefined;
  /** Makes the submit button as wide as the form if there is no cancel button. */
  grow?: boolean;
  /** The label of the submit button. */
  children: ReactNode;
}

export function FormActions({ loading, onCancel, grow = false, children }: FormActionsProps) {
  return (
    <Group grow={grow && onCancel === undefined}>
      <Button type="submit" loading={loading}>
        {children}
      </Button>
      {onCancel !== undefined && (
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      )}
    </Group>
  );
}
