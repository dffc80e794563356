/** The links of the navigation, in groups. Marks the link of the current page. */
import { NavLink, Stack, Text } from "@mantine/core";
import type { ComponentType } from "react";
import { Link, useLocation } from "wouter";

export interface NavEntry {
  name: string;
  to: string;
  Icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }>;
}

export interface NavGroup {
  /** Null for links without a heading. */
  name: string | null;
  entries: readonly NavEntry[];
}

export function NavLinks({ groups }: { groups: readonly NavGroup[] }) {
  const [path] = useLocation();
  const isHere = (to: string) => path === to || path.startsWith(`${to}/`);
  return (
    <Stack gap="sm">
      {groups.map(({ name, entries }) => (
        <div key={name ?? ""}>
          {name !== null && (
            <Text size="xs" fw={650} c="dimmed" px="sm" pb={4}>
              {name}
            </Text>
          )}
          {entries.map(({ name, to, Icon }) => (
            <NavLink
              key={to}
              component={Link}
              href={to}
              label={name}
              leftSection={<Icon size={18} aria-hidden />}
              active={isHere(to)}
              aria-current={isHere(to) ? "page" : undefined}
              variant="light"
              py={6}
              style={{ borderRadius: "var(--mantine-radius-md)" }}
            />
          ))}
        </div>
      ))}
    </Stack>
  );
}
