/** At the foot of a form in a page: what sends it, and the way back where the reader has just called for it. */
import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";

export interface FormActionsProps {
  loading: boolean;
  onCancel: (() => void) | undefined;
  /** As wide as the form, where there is no way back. */
  grow?: boolean;
  /** What sending is called. */
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
