/** A bordered section of a page with its own heading. */
import { Group, Paper, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

export interface SectionProps {
  title: string;
  /** A sentence below the title. */
  lead?: ReactNode;
  /** Buttons next to the title. */
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" gap="xs" mb={lead === undefined ? "sm" : 4}>
        <Title order={2}>{title}</Title>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {lead !== undefined && (
        <Text size="sm" c="dimmed" mb="md" maw="70ch" component="div">
          {lead}
        </Text>
      )}
      {children}
    </Paper>
  );
}

/** A section whose content is hidden until the user opens it. */
export function FoldedSection({ title, lead, children }: Omit<SectionProps, "actions">) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <details className="folded">
        <summary>
          <Title order={2} component="span" role="heading" aria-level={2}>
            {title}
          </Title>
          {lead !== undefined && (
            <Text size="sm" c="dimmed" component="span">
              {lead}
            </Text>
          )}
        </summary>
        {children}
      </details>
    </Paper>
  );
}
