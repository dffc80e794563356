/** The second step of signing in for users with a passkey but no authenticator app. */
import { Anchor, Text } from "@mantine/core";
import { hasPasskeys, signInWithPasskey } from "../../api/passkeys.ts";
import { Page } from "../../parts/page.tsx";
import { PasskeyButton } from "../../parts/passkey-button.tsx";

export function PasskeyStep({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  return (
    <Page
      title="Use your passkey"
      lead="Your password is correct. You haven't set up an authenticator app, so use a passkey to continue."
    >
      {hasPasskeys ? (
        <PasskeyButton variant="filled" run={signInWithPasskey} onDone={onDone} />
      ) : (
        <Text>This browser doesn't support passkeys. Sign in with another browser.</Text>
      )}
      <Anchor component="button" type="button" size="sm" ta="start" onClick={onBack}>
        Back
      </Anchor>
    </Page>
  );
}
