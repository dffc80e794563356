/** Sets up the user's first second factor: an authenticator app or a passkey. */
import { Anchor, Radio, Stack } from "@mantine/core";
import { useState } from "react";
import type { TotpSetup } from "@oriel/protocol/dashboard/sign-in";
import { meKey, useMe } from "../../api/me.ts";
import { hasPasskeys } from "../../api/passkeys.ts";
import { queryClient } from "../../api/query-client.ts";
import { hasWaitingInvitation } from "../../api/waiting-invitation.ts";
import { Page } from "../../parts/page.tsx";
import { signOut } from "../../parts/sign-out.ts";
import { AddPasskeyForm } from "./add-passkey-form.tsx";
import { SetUpApp } from "./set-up-app.tsx";

export function SetUpSecondFactor() {
  const [setup, setSetup] = useState<TotpSetup | null>(null);
  const [method, setMethod] = useState<"app" | "passkey">("app");
  const me = useMe();
  const mayChoose = hasPasskeys && me.data?.is_operator === false;
  const done = () => {
    queryClient.removeQueries({ queryKey: meKey });
    globalThis.location.assign(hasWaitingInvitation() ? "/invitation" : "/");
  };
  return (
    <Page
      title="Set up two-factor authentication"
      lead="You need a second factor to sign in: codes from an authenticator app, such as the one on your phone or in your password manager, or a passkey."
    >
      {setup === null && mayChoose && (
        <Radio.Group
          label="Method"
          value={method}
          onChange={(chosen) => setMethod(chosen === "passkey" ? "passkey" : "app")}
        >
          <Stack gap="xs" mt={6}>
            <Radio
              value="app"
              label="Authenticator app"
              description="Enter a 6-digit code after your password. Includes recovery codes in case you lose the app."
            />
            <Radio
              value="passkey"
              label="Passkey"
              description="Use a fingerprint, your face or a PIN instead of your password. Add a second passkey or the app later, in case you lose this one."
            />
          </Stack>
        </Radio.Group>
      )}
      {method === "app" ? (
        <SetUpApp setup={setup} onBegun={setSetup} onDone={done} />
      ) : (
        <AddPasskeyForm onDone={done} />
      )}
      <Anchor component="button" type="button" size="sm" onClick={() => void signOut()}>
        Sign out
      </Anchor>
    </Page>
  );
}
