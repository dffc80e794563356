/** Creates a secret key with a name and a scope. */
import { Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { CreateSecretKey, KeyScope, NewSecretKey } from "@oriel/protocol/dashboard/setup";
import { request } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { DialogActions } from "../../parts/dialog-actions.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { required, showRefusal } from "../../parts/form-errors.ts";
import { scopeWords } from "./key-scopes.ts";

export function CreateKeyDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (made: NewSecretKey) => void;
}) {
  const workspace = useWorkspace();
  const client = useQueryClient();
  const form = useForm<CreateSecretKey>({
    initialValues: { name: "", scope: "full" },
    validate: { name: required("a name") },
  });
  const sending = useMutation({
    mutationFn: (body: CreateSecretKey) => request<NewSecretKey>(workspace.data("keys"), { method: "POST", body }),
    onSuccess: onCreated,
    onError: (error) => showRefusal(form, error),
    // Also if the response was lost, because the key may exist.
    onSettled: () => client.invalidateQueries({ queryKey: workspace.key("keys") }),
  });
  return (
    <Dialog onClose={onClose} title={workspace.mode === "live" ? "Create LIVE secret key" : "Create test secret key"}>
      <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
        <Stack>
          <ErrorAlert error={sending.error} inlineFields={["name", "scope"]} />
          <TextInput
            label="Name"
            description="For example, where you use the key"
            maxLength={100}
            required
            data-autofocus
            {...form.getInputProps("name")}
          />
          <Radio.Group label="Scope" {...form.getInputProps("scope")}>
            <Stack gap="xs" mt="xs">
              {(Object.keys(scopeWords) as KeyScope[]).map((scope) => (
                <Radio
                  key={scope}
                  value={scope}
                  label={scopeWords[scope].name}
                  description={scopeWords[scope].meaning}
                />
              ))}
            </Stack>
          </Radio.Group>
          <DialogActions onCancel={onClose} loading={sending.isPending}>
            Create key
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
