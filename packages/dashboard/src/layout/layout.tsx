/**
 * The layout of all pages for signed-in users: skip link, mode bar, header, navigation (collapsed on narrow screens)
 * and the page itself.
 */
import { AppShell, Burger, Group, ScrollArea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Suspense, useEffect, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { ErrorBoundary } from "../parts/error-boundary.tsx";
import { Waiting } from "../parts/loaded.tsx";

export interface FrameProps {
  /** Shown above the header. */
  bar?: ReactNode;
  /** Where the logo links to. */
  home: string;
  /** Shown in the header, after the logo. */
  head: ReactNode;
  navigation: ReactNode;
  children: ReactNode;
}

export function Frame({ bar, home, head, navigation, children }: FrameProps) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [path] = useLocation();
  useEffect(close, [path]); // `close` isn't a dependency because the hook returns a new one on each render
  return (
    <>
      <a href="#page" className="skip-link">
        Skip to content
      </a>
      <AppShell
        header={{ height: bar === undefined ? 56 : 84 }}
        navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
        padding={{ base: "md", md: "xl" }}
      >
        {/* Menus in the header cover the navigation. */}
        <AppShell.Header zIndex={110}>
          {bar}
          <Group h={56} px="md" gap="sm" wrap="nowrap" className="app-head">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={isOpen}
            />
            <Link href={home} className="plain-link" aria-label="Oriel, home">
              <Brand />
            </Link>
            {head}
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="sm" aria-label="Pages">
          <AppShell.Section grow component={ScrollArea}>
            {navigation}
          </AppShell.Section>
        </AppShell.Navbar>
        <AppShell.Main id="page" tabIndex={-1} style={{ outline: "none" }}>
          <ErrorBoundary key={path}>
            <Suspense fallback={<Waiting lines={8} />}>{children}</Suspense>
          </ErrorBoundary>
        </AppShell.Main>
      </AppShell>
    </>
  );
}

/** The logo: an oriel window, and the name on wide screens. */
export function Brand() {
  return (
    <Group gap={8} wrap="nowrap">
      <svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.8" aria-hidden>
        <path d="M5 20V9a7 7 0 0 1 14 0v11zM12 2v18M5 11h14" />
      </svg>
      <strong className="brand-name">Oriel</strong>
    </Group>
  );
}
