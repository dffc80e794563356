/** Suspends or resumes an account. The owners receive the reason by email. */
import { Button, Stack, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { OperatorAccount } from "@oriel/protocol/dashboard/underwriting";
import { isolate } from "@oriel/protocol/isolate";
import { request } from "../../api/request.ts";
import { DialogActions } from "../../parts/dialog-actions.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { required } from "../../parts/form-errors.ts";
import { cacheChange } from "./operator-requests.ts";
import { showReasonRefusal } from "./reason-field.ts";

export function AccountSwitch({ account }: { account: OperatorAccount }) {
  const wordsNow = account.status === "active" ? suspending : resuming;
  const [isOpen, setIsOpen] = useState(false);
  // Keeps the dialog's text while the dialog fades out.
  const [words, setWords] = useState<typeof suspending | typeof resuming>(wordsNow);
  const open = () => {
    setWords(wordsNow);
    setIsOpen(true);
  };
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        {wordsNow.action}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title={`${words.action} ${isolate(account.name)}?`}>
        <SwitchForm account={account} words={words} onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

const suspending = {
  action: "Suspend",
  path: "suspend",
  what: "Its API keys stop working immediately, its checkout pages take no new payments, and its team can't make changes. Payments in progress are completed.",
} as const;
const resuming = {
  action: "Resume",
  path: "resume",
  what: "Its API keys work again immediately, and its team can make changes.",
} as const;

interface SwitchFormProps {
  account: OperatorAccount;
  words: typeof suspending | typeof resuming;
  onClose: () => void;
}

function SwitchForm({ account: { id }, words: { action, path, what }, onClose }: SwitchFormProps) {
  const form = useForm({ initialValues: { reason: "" }, validate: { reason: required("a reason") } });
  const switching = useMutation({
    mutationFn: (reason: string) =>
      request<OperatorAccount>(`/operator/accounts/${id}/${path}`, { method: "POST", body: { reason } }),
    onSuccess: (data) => {
      cacheChange(`accounts/${id}`, data);
      onClose();
    },
    onError: (error) => showReasonRefusal(form, error),
  });
  return (
    <form onSubmit={form.onSubmit(({ reason }) => switching.mutate(reason.trim()))} noValidate>
      <Stack>
        <Text size="sm">{what}</Text>
        <Textarea
          label="Reason"
          description="The owners receive it by email, and it's recorded in the audit log."
          autosize
          minRows={3}
          maxLength={1000}
          data-autofocus
          {...form.getInputProps("reason")}
        />
        <ErrorAlert error={switching.error} inlineFields={["reason"]} />
        <DialogActions onCancel={onClose} color={path === "suspend" ? "red.9" : "indigo"} loading={switching.isPending}>
          {action}
        </DialogActions>
      </Stack>
    </form>
  );
}
