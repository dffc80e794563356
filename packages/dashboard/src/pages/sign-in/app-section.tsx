/** Sets up the user's authenticator app, replaces it, or removes it if a passkey remains. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import type { TotpSetup } from "@oriel/protocol/dashboard/sign-in";
import { queryClient } from "../../api/query-client.ts";
import { securityKey } from "../../api/security.ts";
import { RemoveFactorDialog } from "./remove-factor-dialog.tsx";
import { SetUpApp } from "./set-up-app.tsx";

export interface AppSectionProps {
  hasApp: boolean;
  /** Why the app can't be removed, or null if it can. */
  whyRequired: string | null;
}

export function AppSection({ hasApp, whyRequired }: AppSectionProps) {
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
          ? `Your authenticator app is set up. You sign in with your password and a code from the app.${whyRequired === null ? "" : ` ${whyRequired}`}`
          : "Not set up. With an authenticator app, you can sign in with your password and a code on any device."}
      </Text>
      {isAdding ? (
        <>
          {hasApp && (
            <Text size="sm">
              Your old app works until you enter a code from the new one. Then all other sessions end. Your recovery
              codes stay the same.
            </Text>
          )}
          <SetUpApp
            setup={setup}
            onBegun={setSetup}
            onDone={() => changed(hasApp ? "Authenticator app replaced" : "Authenticator app added")}
            onCancel={end}
          />
        </>
      ) : (
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={() => setIsAdding(true)}>
            {hasApp ? "Replace authenticator app" : "Add authenticator app"}
          </Button>
          {hasApp && whyRequired === null && (
            <Button
              variant="default"
              size="xs"
              onClick={() => setIsRemoving(true)}
              aria-label="Remove authenticator app"
            >
              Remove
            </Button>
          )}
        </Group>
      )}
      {isRemoving && (
        <RemoveFactorDialog
          title="Remove authenticator app?"
          path="/auth/totp/remove"
          onClose={end}
          onDone={() => changed("Authenticator app removed")}
        >
          Codes from the app and your recovery codes stop working. You'll sign in with a passkey.
        </RemoveFactorDialog>
      )}
    </Stack>
  );
}
