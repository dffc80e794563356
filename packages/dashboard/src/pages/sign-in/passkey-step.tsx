/** Signing in with a login that has passkeys and no authenticator app: the password was right, and is not enough. */
import { Anchor, Text } from "@mantine/core";
import { hasPasskeys, signInWithPasskey } from "../../api/passkeys.ts";
import { Page } from "../../parts/page.tsx";
import { PasskeyButton } from "../../parts/passkey-button.tsx";

export function PasskeyStep({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  return (
    <Page
      title="Use your passkey"
      lead="The password is right. This login has no authenticator app: a passkey lets you in."
    >
      {hasPasskeys ? (
        <PasskeyButton variant="filled" run={signInWithPasskey} onDone={onDone} />
      ) : (
        <Text>This browser knows no passkeys. Sign in with another one.</Text>
      )}
      <Anchor component="button" type="button" size="sm" ta="start" onClick={onBack}>
        Back
      </Anchor>
    </Page>
  );
}
