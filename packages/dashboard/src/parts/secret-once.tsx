/** Shows a secret, which the user should copy before closing the dialog. */
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { CopyBlock } from "./copy-text.tsx";
import { Dialog } from "./dialog.tsx";

export interface SecretOnceProps {
  /** The dialog is closed while this is null. */
  secret: string | null;
  title: string;
  /** Completes the copy button's accessible name, as in "Copy secret key". */
  what: string;
  /** Where to store it. */
  advice: string;
  /** Whether this is the only time it's shown. */
  isLast: boolean;
  onClose: () => void;
}

export function SecretOnce({ secret, title, what, advice, isLast, onClose }: SecretOnceProps) {
  return (
    // A secret that is never shown again can only be closed with the button, not by accident.
    <Dialog
      isOpen={secret !== null}
      onClose={onClose}
      title={title}
      closeOnClickOutside={!isLast}
      closeOnEscape={!isLast}
      withCloseButton={!isLast}
      size="lg"
    >
      <Stack>
        <Text size="sm">{advice}</Text>
        <CopyBlock text={secret ?? ""} what={what} isWrapped />
        {isLast && (
          <Alert color="yellow" variant="outline">
            You won't be able to see it again. Copy it before you close this dialog.
          </Alert>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>{isLast ? "I've saved it" : "Close"}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
