/**
 * One page: its only `h1`, the document's title, and the focus. After going from page to page the focus stands on the
 * heading, so that who hears the page hears where they are; on the first page the browser's own beginning is right.
 */
import { Group, Stack, Text, Title } from "@mantine/core";
import { useEffect, useRef, type ReactNode } from "react";
import { useMode, type Mode } from "../api/desk.tsx";

let isFirstPage = true;

export interface PageProps {
  title: string;
  /** A sentence below it. */
  lead?: ReactNode;
  /** What can be done here, at the end of the heading's line. */
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

/** With the mode of an account's page: the same page of the other mode may stand in the tab beside it. */
function documentTitle(title: string, mode: Mode | null): string {
  return mode === null ? `${title} · Oriel` : `${title} · ${mode === "live" ? "Live" : "Test"} · Oriel`;
}

/** After a step that leaves another page in the same place: what was focused is gone. */
export function backToTop(): void {
  globalThis.scrollTo(0, 0);
  document.querySelector<HTMLElement>(".page-title")?.focus({ preventScroll: true });
}
