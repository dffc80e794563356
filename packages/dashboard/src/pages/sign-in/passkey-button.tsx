/** Signing in with a passkey: finger, face or PIN instead of password and code. */
import { Button, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { IconFingerprint } from "@tabler/icons-react";
import { signInWithPasskey } from "../../api/passkeys.ts";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";

export interface PasskeyButtonProps {
  onDone: () => void;
  variant?: "filled" | "default";
}

export function PasskeyButton({ onDone, variant = "default" }: PasskeyButtonProps) {
  const using = useMutation({ mutationFn: signInWithPasskey, onSuccess: onDone });
  return (
    <Stack>
      <RefusalAlert error={using.error} />
      <Button
        variant={variant}
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={using.isPending}
        onClick={() => using.mutate()}
      >
        Use a passkey
      </Button>
    </Stack>
  );
}
