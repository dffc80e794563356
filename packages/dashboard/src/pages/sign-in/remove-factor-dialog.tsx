/** Removes a second factor after asking for the password. */
import { PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { request } from "../../api/request.ts";
import { DialogActions } from "../../parts/dialog-actions.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { showRefusal } from "../../parts/form-errors.ts";

export interface RemoveFactorDialogProps {
  title: string;
  /** The consequences. */
  children: string;
  /** The service's path for removing the factor. */
  path: string;
  onClose: () => void;
  onDone: () => void;
}

export function RemoveFactorDialog({ title, children, path, onClose, onDone }: RemoveFactorDialogProps) {
  const form = useForm({ initialValues: { password: "" } });
  const sending = useMutation({
    mutationFn: (body: { password: string }) => request(path, { method: "POST", body }),
    onSuccess: onDone,
    onError: (error) => showRefusal(form, error),
  });
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
        <Stack>
          <Text size="sm">{children}</Text>
          <ErrorAlert error={sending.error} inlineFields={["password"]} />
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            required
            data-autofocus
            {...form.getInputProps("password")}
          />
          <DialogActions onCancel={onClose} color="red.9" loading={sending.isPending}>
            Remove
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
