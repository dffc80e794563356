/**
 * What the acquirer of live mode calls the account. Set by the operator, with password and code; without one the
 * account takes no live payments.
 */
import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { merchantIdPattern } from "@oriel/protocol/acquirer";
import type { OperatorAccount } from "@oriel/protocol/dashboard-underwriting";
import { isolate } from "@oriel/protocol/isolate";
import { ask } from "../../api/ask.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { DialogActions } from "../../parts/dialog-actions.tsx";
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
      <Dialog isOpen={isOpen} onClose={close} title={`${isolate(account.name)} at the acquirer`}>
        <AcquirerForm account={account} onClose={close} />
      </Dialog>
    </>
  );
}

function AcquirerForm({ account: { id, acquirer }, onClose }: { account: OperatorAccount; onClose: () => void }) {
  const form = useForm({
    initialValues: { merchantId: acquirer.merchant_id ?? "" },
    validate: {
      merchantId: (text) => (text.trim() === "" || merchantIdShape.test(text.trim()) ? null : whatItMayHold),
    },
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
          Live payments that begin from now on are sold under it. Without one the account takes no new live payments;
          what was paid can be captured, canceled and refunded all the same.
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
        <DialogActions onCancel={onClose} loading={setting.isPending}>
          Save
        </DialogActions>
      </Stack>
    </form>
  );
}

const merchantIdShape = new RegExp(merchantIdPattern);
const whatItMayHold = "At most 35 letters, digits, and _ . : -";
