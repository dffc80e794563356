/** Changes a member's role. The change applies from the member's next request. */
import { Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Role } from "@oriel/protocol/dashboard";
import type { TeamMember } from "@oriel/protocol/dashboard-setup";
import { isolate } from "@oriel/protocol/isolate";
import { ask } from "../../api/request.ts";
import { useDesk } from "../../api/account-mode.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { DialogActions } from "../../parts/dialog-actions.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { RoleChoice } from "./role-choice.tsx";

export interface RoleDialogProps {
  member: TeamMember;
  onClose: () => void;
  onDone: () => void;
}

export function RoleDialog({ member, onClose, onDone }: RoleDialogProps) {
  const desk = useDesk();
  const [role, setRole] = useState<Role>(member.role);
  const sending = useMutation({
    mutationFn: (role: Role) => ask(desk.data(`team/members/${member.login_id}`), { method: "PATCH", body: { role } }),
    onSuccess: onDone,
  });
  return (
    <Dialog onClose={onClose} title={`Change role of ${isolate(member.name)}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          sending.mutate(role);
        }}
      >
        <Stack>
          <ErrorAlert error={sending.error} />
          <RoleChoice value={role} onChange={setRole} />
          <DialogActions onCancel={onClose} loading={sending.isPending} disabled={role === member.role}>
            Change role
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
