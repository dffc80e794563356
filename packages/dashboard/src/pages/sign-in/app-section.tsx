/** The reader's authenticator app: set up, or taken away where a passkey stays. */
import { Button, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import type { TotpSetup } from "@oriel/protocol/dashboard";
import { queryClient } from "../../api/query-client.ts";
import { securityKey } from "../../api/security.ts";
import { RemoveFactorDialog } from "./remove-factor-dialog.tsx";
import { SetUpApp } from "./set-up-app.tsx";

export interface AppSectionProps {
  hasApp: boolean;
  /** Why it stays; null: it may be removed. */
  whyKept: string | null;
}

export function AppSection({ hasApp, whyKept }: AppSectionProps) {
  const [isAdding, setIsAdding] = useState(false);
  const [setup, setSetup] = useState<TotpSetup | null>(null);
  const [isRemoving, setIsRemoving] = useState(false);
  const end = () => {
    setIsAdding(false);
    setSetup(null);
    setIsRemoving(false);
  };
  const changed = (message: string) => {
    end();
    void queryClient.invalidateQueries({ queryKey: securityKey });
    notifications.show({ message });
  };
  return (
    <Stack maw={420}>
      <Text size="sm">
        {hasApp
          ? `It is set up: after the password it shows the code that lets you in.${whyKept === null ? "" : ` ${whyKept}`}`
          : "None yet. It shows a code that lets you in after the password, also where no passkey of yours is."}
      </Text>
      {!hasApp && isAdding && (
        <SetUpApp
          setup={setup}
          onBegun={setSetup}
          onDone={() => changed("The authenticator app is set up.")}
          onCancel={end}
        />
      )}
      {!hasApp && !isAdding && (
        <div>
          <Button variant="default" size="xs" onClick={() => setIsAdding(true)}>
            Add an authenticator app
          </Button>
        </div>
      )}
      {hasApp && whyKept === null && (
        <div>
          <Button
            variant="default"
            size="xs"
            onClick={() => setIsRemoving(true)}
            aria-label="Remove the authenticator app"
          >
            Remove
          </Button>
        </div>
      )}
      {isRemoving && (
        <RemoveFactorDialog
          title="Remove the authenticator app"
          path="/auth/totp/remove"
          onClose={end}
          onDone={() => changed("The authenticator app is removed.")}
        >
          Its codes and the recovery codes let nobody in any more. You sign in with a passkey from then on.
        </RemoveFactorDialog>
      )}
    </Stack>
  );
}
