/** A choice of roles with their descriptions. */
import { Radio, Stack } from "@mantine/core";
import { roles, type Role } from "@oriel/protocol/dashboard/roles";
import { roleWords } from "./roles.ts";

export interface RoleChoiceProps {
  value: Role;
  onChange: (role: Role) => void;
}

export function RoleChoice({ value, onChange }: RoleChoiceProps) {
  return (
    <Radio.Group
      label="Role"
      value={value}
      onChange={(chosen) => {
        const role = roles.find((role) => role === chosen);
        if (role !== undefined) onChange(role);
      }}
    >
      <Stack gap="xs" mt={6}>
        {roles.map((role) => (
          <Radio key={role} value={role} label={roleWords[role].name} description={roleWords[role].about} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
