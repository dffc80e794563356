/** Adds a passkey: asks for a name and the password, then starts the browser's passkey prompt. */
import { PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { addPasskey } from "../../api/passkeys.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { FormActions } from "../../parts/form-actions.tsx";
import { required, showRefusal } from "../../parts/form-errors.ts";

export interface AddPasskeyFormProps {
  onDone: () => void;
  onCancel?: () => void;
}

export function AddPasskeyForm({ onDone, onCancel }: AddPasskeyFormProps) {
  const form = useForm({ initialValues: { name: "", password: "" }, validate: { name: required("a name") } });
  const adding = useMutation({
    mutationFn: addPasskey,
    onSuccess: onDone,
    onError: (error) => showRefusal(form, error),
  });
  return (
    <form onSubmit={form.onSubmit(({ name, password }) => adding.mutate({ name: name.trim(), password }))}>
      <Stack>
        <ErrorAlert error={adding.error} inlineFields={["name", "password"]} />
        <TextInput
          label="Passkey name"
          description="For example, the device it's stored on"
          maxLength={100}
          autoComplete="off"
          required
          autoFocus={onCancel !== undefined}
          {...form.getInputProps("name")}
        />
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          {...form.getInputProps("password")}
        />
        <FormActions loading={adding.isPending} onCancel={onCancel}>
          Add passkey
        </FormActions>
      </Stack>
    </form>
  );
}
