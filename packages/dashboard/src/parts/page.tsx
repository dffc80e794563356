/**
 * A page with its `h1` and document title. After navigation, moves the focus to the heading, so that screen readers
 * announce the new page. On the first page, the focus stays where the browser puts it.
 */
import { Group, Stack, Text, Title } from "@mantine/core";
import { useEffect, useRef, type ReactNode } from "react";
import { useMode, type Mode } from "../api/workspace.tsx";

let isFirstPage = true;

export interface PageProps {
  title: string;
  /** A sentence below the title. */
  lead?: ReactNode;
  /** Buttons next to the title. */
  actions?: ReactNode;
  children?: ReactNode;
}

export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const mode = useMode();
  useEffect(() => {
    document.title = documentTitle(title, mode);
  }, [title, mode]);
  useEffect(() => {
    if (!isFirstPage) {
      globalThis.scrollTo(0, 0);
      heading.current?.focus({ preventScroll: true });
    }
    isFirstPage = false;
  }, []);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1} ref={heading} tabIndex={-1} className="page-title break-anywhere">
            {title}
          </Title>
          {lead !== undefined && (
            <Text c="dimmed" mt={4} maw="70ch" component="div">
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/** Includes the mode, because the same page of the other mode may be open in another tab. */
function documentTitle(title: string, mode: Mode | null): string {
  return mode === null ? `${title} · Oriel` : `${title} · ${mode === "live" ? "Live" : "Test"} · Oriel`;
}

/**
 * Scrolls to the top and focuses the heading, after a step that replaced the page's content and the focused element.
 */
export function backToTop(): void {
  globalThis.scrollTo(0, 0);
  focusTitle();
}

/** Focuses the page's heading without scrolling, after a step that removed the focused element. */
export function focusTitle(): void {
  document.querySelector<HTMLElement>(".page-title")?.focus({ preventScroll: true });
}
