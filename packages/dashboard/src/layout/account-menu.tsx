/** Shows the current account and lets members of several teams switch. */
import { Button, Menu, Text } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useLocation } from "wouter";
import { useWorkspace } from "../api/workspace.tsx";

export function AccountMenu() {
  const { me, membership } = useWorkspace();
  const [, navigate] = useLocation();
  if (me.memberships.length === 1)
    return (
      <Text fw={600} truncate size="sm" miw={0}>
        {membership.account_name}
      </Text>
    );
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          c="var(--mantine-color-text)"
          size="compact-md"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          miw={0}
        >
          <Text truncate size="sm" fw={600}>
            {membership.account_name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label c="dimmed">Accounts</Menu.Label>
        {me.memberships.map(({ account_id, account_name }) => (
          // Always switches to test mode, so that nobody lands in another account's live mode by accident.
          <Menu.Item
            key={account_id}
            fw={account_id === membership.account_id ? 700 : 400}
            onClick={() => navigate(`/${account_id}/test/overview`)}
          >
            {account_name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
