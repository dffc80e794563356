/** What the acquirer of live mode calls the account. Set by the operator, with password and code; without one the account takes no live payments. */
import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { OperatorAccount } from "@oriel/protocol/dashboard-underwriting";
import { ask } from "../../api/ask.ts";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";
import { keepChanged } from "./ask-operator.ts";

export function AcquirerDialog({ account }: { account: OperatorAccount }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setIsOpen(true)}>
        {account.acquirer.merchant_id === null ? "Set merchant id" : "Change merchant id"}
      </Button>
      <Modal opened={isOpen} onClose={close} title={`${account.name} at the acquirer`}>
        <AcquirerForm account={account} onClose={close} />
      </Modal>
    </>
  );
}

function AcquirerForm({ account: { id, acquirer }, onClose }: { account: OperatorAccount; onClose: () => void }) {
  const form = useForm({
    initialValues: { merchantId: acquirer.merchant_id ?? "" },
    validate: { merchantId: (text) => (/^[0-9A-Za-z_.:-]{0,35}$/.test(text.trim()) ? null : whatItMayHold) },
  });
  const setting = useMutation({
    mutationFn: (merchantId: string) =>
      ask<OperatorAccount>(`/operator/accounts/${id}/acquirer`, {
        method: "POST",
        body: { merchant_id: merchantId === "" ? null : merchantId },
      }),
    onSuccess: (answer) => {
      keepChanged(`accounts/${id}`, answer);
      onClose();
    },
  });
  return (
    <form onSubmit={form.onSubmit(({ merchantId }) => setting.mutate(merchantId.trim()))} noValidate>
      <Stack>
        <Text size="sm">
          Live payments of this account are sold under it, from the next one on. Without one the account takes no live payments, and
          nothing of its live charges can be captured, canceled or refunded.
        </Text>
        <TextInput
          label="Merchant id"
          description="As the acquirer gave it. Empty: none."
          maxLength={35}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps("merchantId")}
        />
        <RefusalAlert error={setting.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={setting.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const whatItMayHold = "At most 35 letters, digits, and _ . : -";
