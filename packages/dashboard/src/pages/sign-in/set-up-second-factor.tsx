/** Sets up a second factor: a passkey, with the password and what the browser asks, or an authenticator app. */
import { Anchor, Radio, Stack } from "@mantine/core";
import { useState } from "react";
import type { TotpSetup } from "@oriel/protocol/dashboard";
import { meKey, signOut, useMe } from "../../api/me.ts";
import { hasPasskeys } from "../../api/passkeys.ts";
import { queryClient } from "../../api/query-client.ts";
import { hasWaitingInvitation } from "../../api/waiting-invitation.ts";
import { Page } from "../../parts/page.tsx";
import { AddPasskeyForm } from "./add-passkey-form.tsx";
import { SetUpApp } from "./set-up-app.tsx";

export function SetUpSecondFactor() {
  const [setup, setSetup] = useState<TotpSetup | null>(null);
  const [way, setWay] = useState<"app" | "passkey">("app");
  const me = useMe();
  const mayChoose = hasPasskeys && me.data?.is_operator === false;
  const done = () => {
    queryClient.removeQueries({ queryKey: meKey });
    globalThis.location.assign(hasWaitingInvitation() ? "/invitation" : "/");
  };
  return (
    <Page
      title="Set up a second factor"
      lead="Everybody here signs in with a password and a code of an authenticator app, such as the one in your password manager or on your phone, or with a passkey."
    >
      {setup === null && mayChoose && (
        <Radio.Group
          label="What to set up"
          value={way}
          onChange={(chosen) => setWay(chosen === "passkey" ? "passkey" : "app")}
        >
          <Stack gap="xs" mt={6}>
            <Radio
              value="app"
              label="Authenticator app"
              description="Six digits after the password. With recovery codes, for when the app is gone."
            />
            <Radio
              value="passkey"
              label="Passkey"
              description="A finger, a face or a PIN, without the password. Add a second one, or the app, in case this one is gone."
            />
          </Stack>
        </Radio.Group>
      )}
      {way === "app" ? <SetUpApp setup={setup} onBegun={setSetup} onDone={done} /> : <AddPasskeyForm onDone={done} />}
      <Anchor component="button" type="button" size="sm" onClick={() => void signOut()}>
        Sign out
      </Anchor>
    </Page>
  );
}
