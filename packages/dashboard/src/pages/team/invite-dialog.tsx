/** Invites someone by email. The response doesn't reveal whether a user with the address exists. */
import { Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import type { Invite, Invited } from "@oriel/protocol/dashboard/setup";
import { isolate } from "@oriel/protocol/isolate";
import { queryClient } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { DialogActions } from "../../parts/dialog-actions.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { RoleChoice } from "./role-choice.tsx";

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const workspace = useWorkspace();
  const form = useForm<Invite>({ initialValues: { email: "", role: "read_only" } });
  const sending = useMutation({
    mutationFn: (body: Invite) => request<Invited>(workspace.data("team/invitations"), { method: "POST", body }),
    onSuccess: (_data, { email }) => {
      void queryClient.invalidateQueries({ queryKey: workspace.key("team") });
      notifications.show({ message: `We'll email ${isolate(email)} an invitation. Its link is valid for seven days.` });
      onClose();
    },
    onError: (error) => showRefusal(form, error),
  });
  return (
    <Dialog onClose={onClose} title="Invite member">
      <form onSubmit={form.onSubmit(({ email, role }) => sending.mutate({ email: email.trim(), role }))}>
        <Stack>
          <ErrorAlert error={sending.error} inlineFields={["email"]} />
          <TextInput
            label="Email"
            description="We'll email an invitation. It can only be accepted with this address."
            type="email"
            autoComplete="off"
            maxLength={254}
            required
            data-autofocus
            {...form.getInputProps("email")}
          />
          <RoleChoice value={form.values.role} onChange={(role) => form.setFieldValue("role", role)} />
          <DialogActions onCancel={onClose} loading={sending.isPending}>
            Send invitation
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
