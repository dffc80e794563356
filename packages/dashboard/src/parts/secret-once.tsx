/** A secret that is shown now: to be taken away before the dialog closes. */
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { CopyBlock } from "./copy-text.tsx";
import { Dialog } from "./dialog.tsx";

export interface SecretOnceProps {
  /** Null: closed. */
  secret: string | null;
  title: string;
  /** What it is, for the copy button's name. */
  what: string;
  /** A sentence on where it belongs. */
  advice: string;
  /** Whether it can be seen again. */
  isLast: boolean;
  onClose: () => void;
}

export function SecretOnce({ secret, title, what, advice, isLast, onClose }: SecretOnceProps) {
  return (
    // What is never shown again is closed by its button only, not by a click beside it or a key.
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
            It is shown now and never again. Keep it before you close this.
          </Alert>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>{isLast ? "I have kept it" : "Close"}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
