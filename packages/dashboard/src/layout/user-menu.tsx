/** The user menu: security settings, color scheme and signing out. */
import { ActionIcon, Menu, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconLogout, IconMoon, IconShieldLock, IconSun, IconUser } from "@tabler/icons-react";
import { useLocation } from "wouter";
import type { Me } from "@oriel/protocol/dashboard/sign-in";
import { isolate } from "@oriel/protocol/isolate";
import { signOut } from "../parts/sign-out.ts";

const schemes: { scheme: MantineColorScheme; name: string; Icon: typeof IconSun }[] = [
  { scheme: "light", name: "Light", Icon: IconSun },
  { scheme: "dark", name: "Dark", Icon: IconMoon },
  { scheme: "auto", name: "System", Icon: IconDeviceDesktop },
];

export function UserMenu({ login }: Pick<Me, "login">) {
  const [, navigate] = useLocation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" radius="xl" aria-label={`Signed in as ${login.name}`}>
          <IconUser size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label c="dimmed" className="break-anywhere">
          {isolate(login.name)}, {isolate(login.email)}
        </Menu.Label>
        <Menu.Item leftSection={<IconShieldLock size={16} aria-hidden />} onClick={() => navigate("/security")}>
          Security
        </Menu.Item>
        <Menu.Divider />
        {schemes.map(({ scheme, name, Icon }) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => setColorScheme(scheme)}
            fw={scheme === colorScheme ? 700 : 400}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
