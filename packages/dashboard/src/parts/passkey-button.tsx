/** A button that starts a passkey prompt. */
import { Button, Stack, type ButtonProps } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { ErrorAlert } from "./error-alert.tsx";

export interface PasskeyButtonProps extends Pick<ButtonProps, "variant"> {
  /** Performs the WebAuthn request. */
  run: () => Promise<void>;
  onDone: () => void;
  /** Focuses the button when its dialog opens. */
  isFocused?: boolean;
}

export function PasskeyButton({ run, onDone, variant = "default", isFocused = false }: PasskeyButtonProps) {
  const using = useMutation({ mutationFn: run, onSuccess: onDone });
  return (
    <Stack>
      <ErrorAlert error={using.error} />
      <Button
        variant={variant}
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={using.isPending}
        onClick={() => using.mutate()}
        data-autofocus={isFocused || undefined}
      >
        Use a passkey
      </Button>
    </Stack>
  );
}
