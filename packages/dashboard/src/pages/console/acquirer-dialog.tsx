/**
 * Sets the account's merchant ID at the live acquirer. Without it, the account can't take live payments.
 */
import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { merchantIdPattern } from "@oriel/protocol/acquirer";
import type { OperatorAccount } from "@oriel/protocol/dashboard/underwriting";
import { isolate } from "@oriel/protocol/isolate";
import { refetchIfChanged } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { ChangedMeanwhile } from "../../parts/changed-meanwhile.tsx";
import { DialogActions } from "../../parts/dialog-actions.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { useSavedForm } from "../../parts/use-saved-form.ts";
import { cacheChange, operatorKey } from "./operator-requests.ts";

export function AcquirerDialog({ account }: { account: OperatorAccount }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setIsOpen(true)}>
        {account.acquirer.merchant_id === null ? "Set merchant ID" : "Change merchant ID"}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={`Merchant ID of ${isolate(account.name)}`}>
        <AcquirerForm account={account} onClose={close} />
      </Dialog>
    </>
  );
}

function AcquirerForm({ account, onClose }: { account: OperatorAccount; onClose: () => void }) {
  const { id, acquirer } = account;
  const form = useSavedForm(account, ({ acquirer }) => ({ merchantId: acquirer.merchant_id ?? "" }), {
    validate: {
      merchantId: (text) => (text.trim() === "" || merchantIdShape.test(text.trim()) ? null : merchantIdRule),
    },
  });
  const setting = useMutation({
    mutationFn: (merchantId: string) =>
      request<OperatorAccount>(`/operator/accounts/${id}/acquirer`, {
        method: "POST",
        body: { merchant_id: merchantId === "" ? null : merchantId, seen: form.seen.acquirer.merchant_id },
      }),
    onSuccess: (data) => {
      cacheChange(`accounts/${id}`, data);
      onClose();
    },
    onError: (error) => refetchIfChanged(operatorKey(`accounts/${id}`), error),
  });
  return (
    <form onSubmit={form.onSubmit(({ merchantId }) => setting.mutate(merchantId.trim()))} noValidate>
      <Stack>
        <Text size="sm">
          New live payments use this merchant ID. Without it, the account takes no new live payments. Existing payments
          can still be captured, canceled and refunded.
        </Text>
        <TextInput
          label="Merchant ID"
          description="The ID the acquirer assigned. Leave empty to remove it."
          maxLength={35}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps("merchantId")}
        />
        <ErrorAlert error={setting.error} />
        <ChangedMeanwhile
          form={form}
          factOf={() => ({ name: "Merchant ID", value: acquirer.merchant_id })}
          onChosen={() => setting.reset()}
        />
        <DialogActions onCancel={onClose} loading={setting.isPending}>
          Save
        </DialogActions>
      </Stack>
    </form>
  );
}

const merchantIdShape = new RegExp(merchantIdPattern);
const merchantIdRule = "Use up to 35 letters, digits and the characters _ . : -";
