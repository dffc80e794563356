/** Lists, adds and removes the user's passkeys. The service refuses to remove a user's only second factor. */
import { Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { PasskeyInfo } from "@oriel/protocol/dashboard/sign-in";
import { isolate } from "@oriel/protocol/isolate";
import { hasPasskeys } from "../../api/passkeys.ts";
import { queryClient } from "../../api/query-client.ts";
import { securityKey } from "../../api/security.ts";
import { DateTime } from "../../parts/date-time.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { AddPasskeyForm } from "./add-passkey-form.tsx";
import { RemoveFactorDialog } from "./remove-factor-dialog.tsx";

export function PasskeySection({ passkeys }: { passkeys: readonly PasskeyInfo[] }) {
  const [isAdding, setIsAdding] = useState(false);
  const [removing, setRemoving] = useState<PasskeyInfo | null>(null);
  const refresh = () => void queryClient.invalidateQueries({ queryKey: securityKey });
  return (
    <Stack>
      <Text size="sm">
        With a passkey, you sign in with a fingerprint, your face or a PIN instead of password and code. It's stored on
        your device or in your password manager.
      </Text>
      {passkeys.length > 0 && (
        <RecordTable
          label="Your passkeys"
          items={passkeys}
          rowKey={({ id }) => id}
          empty="No passkeys."
          columns={[
            { name: "Name", cell: ({ name }) => name },
            { name: "Added", cell: ({ created }) => <DateTime at={created} /> },
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
      {!hasPasskeys && <Text size="sm">This browser doesn't support passkeys.</Text>}
      {hasPasskeys && !isAdding && (
        <div>
          <Button variant="default" size="xs" onClick={() => setIsAdding(true)}>
            Add passkey
          </Button>
        </div>
      )}
      {isAdding && (
        <div style={{ maxWidth: 420 }}>
          <AddPasskeyForm
            onDone={() => {
              setIsAdding(false);
              refresh();
            }}
            onCancel={() => setIsAdding(false)}
          />
        </div>
      )}
      {removing !== null && (
        <RemoveFactorDialog
          title={`Remove ${isolate(removing.name)}?`}
          path={`/auth/passkeys/${removing.id}/remove`}
          onClose={() => setRemoving(null)}
          onDone={() => {
            setRemoving(null);
            refresh();
          }}
        >
          This passkey no longer works after you remove it here. Delete it from your device or password manager too.
        </RemoveFactorDialog>
      )}
    </Stack>
  );
}
