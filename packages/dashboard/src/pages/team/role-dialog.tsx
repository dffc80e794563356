/** Changes what a member is. It holds with the member's next request. */
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Role } from "@oriel/protocol/dashboard";
import type { TeamMember } from "@oriel/protocol/dashboard-setup";
import { ask } from "../../api/ask.ts";
import { useDesk } from "../../api/desk.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";
import { RoleChoice } from "./role-choice.tsx";

export interface RoleDialogProps {
  /** Null: closed. */
  member: TeamMember | null;
  onClose: () => void;
  onDone: () => void;
}

export function RoleDialog({ member, onClose, onDone }: RoleDialogProps) {
  return (
    <Modal opened={member !== null} onClose={onClose} title={member === null ? "" : `What ${member.name} may do`}>
      {member !== null && <RoleForm key={member.login_id} member={member} onClose={onClose} onDone={onDone} />}
    </Modal>
  );
}

function RoleForm({ member, onClose, onDone }: { member: TeamMember; onClose: () => void; onDone: () => void }) {
  const desk = useDesk();
  const [role, setRole] = useState<Role>(member.role);
  const sending = useMutation({
    mutationFn: (role: Role) => ask(desk.data(`team/members/${member.login_id}`), { method: "PATCH", body: { role } }),
    onSuccess: onDone,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        sending.mutate(role);
      }}
    >
      <Stack>
        <RefusalAlert error={sending.error} />
        <RoleChoice value={role} onChange={setRole} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={sending.isPending} disabled={role === member.role}>
            Change
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
