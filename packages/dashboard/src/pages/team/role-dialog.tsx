/** Changes a member's role. The change applies from the member's next request. */
import { Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ChangeRole, TeamMember } from "@oriel/protocol/dashboard/setup";
import { isolate } from "@oriel/protocol/isolate";
import { refetchIfChanged } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { ChangedMeanwhile } from "../../parts/changed-meanwhile.tsx";
import { DialogActions } from "../../parts/dialog-actions.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { useSavedForm } from "../../parts/use-saved-form.ts";
import { RoleChoice } from "./role-choice.tsx";
import { roleWords } from "./roles.ts";

export interface RoleDialogProps {
  member: TeamMember;
  onClose: () => void;
  onDone: () => void;
}

export function RoleDialog({ member, onClose, onDone }: RoleDialogProps) {
  const workspace = useWorkspace();
  const form = useSavedForm(member, ({ role }) => ({ role }));
  const { role } = form.values;
  const sending = useMutation({
    mutationFn: (body: ChangeRole) =>
      request(workspace.data(`team/members/${member.login_id}`), { method: "PATCH", body }),
    onSuccess: onDone,
    onError: (error) => refetchIfChanged(workspace.key("team"), error),
  });
  return (
    <Dialog onClose={onClose} title={`Change role of ${isolate(member.name)}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          sending.mutate({ role, seen: form.seen.role });
        }}
      >
        <Stack>
          <ErrorAlert error={sending.error} />
          <ChangedMeanwhile
            form={form}
            factOf={() => ({ name: "Role", value: roleWords[member.role].name })}
            onChosen={() => sending.reset()}
          />
          <RoleChoice value={role} onChange={(role) => form.setFieldValue("role", role)} />
          <DialogActions onCancel={onClose} loading={sending.isPending} disabled={role === member.role}>
            Change role
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
