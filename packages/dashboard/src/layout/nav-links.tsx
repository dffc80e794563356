/** The links of the navigation, in groups. Marks the link of the current page, and shows how much work waits there. */
import { Badge, NavLink, Stack, Text, VisuallyHidden } from "@mantine/core";
import type { ComponentType } from "react";
import { Link, useLocation } from "wouter";

export interface NavEntry {
  name: string;
  to: string;
  Icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }>;
  /** How much waits there, such as 3 `to respond to`. It isn't shown if it's 0. */
  waiting?: { count: number; what: string };
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
          {entries.map(({ name, to, Icon, waiting }) => (
            <NavLink
              key={to}
              component={Link}
              href={to}
              label={name}
              leftSection={<Icon size={18} aria-hidden />}
              rightSection={waiting !== undefined && waiting.count > 0 && <Waiting {...waiting} />}
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

function Waiting({ count, what }: { count: number; what: string }) {
  return (
    <Badge size="sm" color="red.9" miw="max-content">
      {count > 99 ? "99+" : count}
      <VisuallyHidden> {what}</VisuallyHidden>
    </Badge>
  );
}
