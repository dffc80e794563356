/** The reader's passkeys: which there are, another one, one less. A login keeps a second factor: the last one stays. */
import { Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { PasskeyInfo } from "@oriel/protocol/dashboard";
import { ask } from "../../api/ask.ts";
import { hasPasskeys } from "../../api/passkeys.ts";
import { queryClient } from "../../api/query-client.ts";
import { securityKey } from "../../api/security.ts";
import { showRefusal } from "../../parts/form-errors.ts";
import { Moment } from "../../parts/moment.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";
import { AddPasskeyForm } from "./add-passkey-form.tsx";

export function PasskeySection({ passkeys }: { passkeys: readonly PasskeyInfo[] }) {
  const [isAdding, setIsAdding] = useState(false);
  const [removing, setRemoving] = useState<PasskeyInfo | null>(null);
  const look = () => void queryClient.invalidateQueries({ queryKey: securityKey });
  return (
    <Stack>
      <Text size="sm">
        A passkey lets you in with a finger, a face or a PIN, without password and code. It stays on its device, or in your
        password manager.
      </Text>
      {passkeys.length > 0 && (
        <RecordTable
          label="Your passkeys"
          items={passkeys}
          rowKey={({ id }) => id}
          empty="None."
          columns={[
            { name: "Name", cell: ({ name }) => name },
            { name: "Added", cell: ({ created }) => <Moment at={created} /> },
            {
              name: "Remove",
              isNameHidden: true,
              cell: (passkey) => (
                <Button
                  size="compact-xs"
                  variant="default"
                  onClick={() => setRemoving(passkey)}
                  aria-label={`Remove ${passkey.name}`}
                >
                  Remove
                </Button>
              ),
            },
          ]}
        />
      )}
      {!hasPasskeys && <Text size="sm">This browser knows no passkeys.</Text>}
      {hasPasskeys && !isAdding && (
        <div>
          <Button variant="default" size="xs" onClick={() => setIsAdding(true)}>
            Add a passkey
          </Button>
        </div>
      )}
      {isAdding && (
        <div style={{ maxWidth: 420 }}>
          <AddPasskeyForm
            onDone={() => {
              setIsAdding(false);
              look();
            }}
            onCancel={() => setIsAdding(false)}
          />
        </div>
      )}
      <Modal
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        title={removing === null ? "" : `Remove ${removing.name}`}
      >
        {removing !== null && (
          <RemoveForm
            passkey={removing}
            onDone={() => {
              setRemoving(null);
              look();
            }}
            onCancel={() => setRemoving(null)}
          />
        )}
      </Modal>
    </Stack>
  );
}

function RemoveForm({ passkey, onDone, onCancel }: { passkey: PasskeyInfo; onDone: () => void; onCancel: () => void }) {
  const form = useForm({ initialValues: { password: "" } });
  const sending = useMutation({
    mutationFn: (body: { password: string }) => ask(`/auth/passkeys/${passkey.id}/remove`, { method: "POST", body }),
    onSuccess: onDone,
    onError: (error) => showRefusal(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
      <Stack>
        <Text size="sm">It lets nobody in any more. Delete it on its device as well, where it stays until then.</Text>
        <RefusalAlert error={sending.error} besideFields={["password"]} />
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          data-autofocus
          {...form.getInputProps("password")}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Keep it
          </Button>
          <Button type="submit" color="red.9" loading={sending.isPending}>
            Remove
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
