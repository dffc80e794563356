/** Replaces a key by a new one with the same name and scope; for a while both work. */
import { Button, Group, Modal, NativeSelect, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { NewSecretKey, SecretKey } from "@oriel/protocol/dashboard-setup";
import { ask } from "../../api/ask.ts";
import { useDesk } from "../../api/desk.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";
import { overlapChoices } from "./overlap-choice.ts";

export interface RollKeyDialogProps {
  secretKey: SecretKey;
  onClose: () => void;
  onRolled: (made: NewSecretKey) => void;
}

export function RollKeyDialog({ secretKey, onClose, onRolled }: RollKeyDialogProps) {
  const desk = useDesk();
  const [overlap, setOverlap] = useState("24h");
  const sending = useMutation({
    mutationFn: () => ask<NewSecretKey>(desk.data(`keys/${secretKey.id}/roll`), { method: "POST", body: { overlap } }),
    onSuccess: onRolled,
  });
  return (
    <Modal opened onClose={onClose} title={`Replace ${secretKey.name}`}>
      <Stack>
        <Text size="sm">You get a new key of the same name and scope. Put it into your server, then let the old one end.</Text>
        <NativeSelect
          label="The old one goes on working for"
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          data={overlapChoices}
          data-autofocus
        />
        <RefusalAlert error={sending.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={() => sending.mutate()} loading={sending.isPending}>
            Replace
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
