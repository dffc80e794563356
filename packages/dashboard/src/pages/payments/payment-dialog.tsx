/**
 * Refund, capture, cancel: asks how much, and does it once however often the button is pressed. Where no answer comes,
 * the wish stays as it is, also after the dialog was closed, and can only be asked for again: the service then tells
 * what became of it.
 */
import { useState } from "react";
import { Alert, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { PaymentDetail } from "@oriel/protocol/dashboard-payments";
import { ask } from "../../api/ask.ts";
import { useDesk } from "../../api/desk.tsx";
import { findUndecided, forgetUndecided, keepUndecided } from "../../api/undecided-actions.ts";
import { isUndecided, useOneWish } from "../../api/use-one-wish.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { DialogActions } from "../../parts/dialog-actions.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { money } from "../../parts/money.tsx";
import { noAmount, parseAmount, writeAmount } from "../../parts/parse-amount.ts";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";

export type PaymentAction = "refund" | "capture" | "cancel";

const words: Readonly<Record<PaymentAction, { title: string; button: string; done: string }>> = {
  refund: { title: "Refund", button: "Refund", done: "The refund is on its way." },
  capture: { title: "Capture", button: "Capture", done: "The payment is captured." },
  cancel: { title: "Cancel the payment", button: "Cancel the payment", done: "The payment is canceled." },
};

export interface PaymentDialogProps {
  payment: PaymentDetail;
  action: PaymentAction;
  onClose: () => void;
}

export function PaymentDialog({ payment, action, onClose }: PaymentDialogProps) {
  const { id, currency } = payment;
  const most = action === "refund" ? payment.amount_captured - payment.amount_refunded : payment.amount;
  const desk = useDesk();
  const client = useQueryClient();
  const address = desk.data(`payments/${id}/${action}`);
  const [undecided] = useState(() => findUndecided<{ amount: string; reason: string }>(address));
  const wish = useOneWish(undecided?.key);
  const form = useForm({
    initialValues: undecided?.values ?? { amount: writeAmount(most, currency), reason: "" },
    validate: {
      amount: (text) => {
        if (wish.isOpen) return null; // it may have been done, and then there is less left
        const amount = parseAmount(text, currency);
        if (amount === null) return noAmount(text, currency);
        return amount > most ? `At most ${money(most, currency)}.` : null;
      },
    },
  });
  const understood = parseAmount(form.values.amount, currency);
  const sending = useMutation({
    mutationFn: (values: { amount: string; reason: string }) => {
      const { amount, reason } = values;
      keepUndecided(address, { key: wish.key, values });
      return ask(address, {
        method: "POST",
        idempotencyKey: wish.key,
        body: {
          ...(action === "cancel" ? {} : { amount: parseAmount(amount, currency) }),
          ...(action === "refund" && reason.trim() !== "" ? { reason: reason.trim() } : {}),
        },
      });
    },
    onSuccess: () => {
      forgetUndecided(address);
      notifications.show({ message: words[action].done });
      onClose();
    },
    onError: (error) => {
      if (!isUndecided(error)) forgetUndecided(address);
      wish.failed(error);
      showRefusal(form, error);
    },
    onSettled: () => client.invalidateQueries({ queryKey: desk.key("payments") }),
  });
  const { title } = words[action];
  return (
    // The dialog lies over the bar that says so.
    <Dialog onClose={onClose} title={desk.mode === "live" ? `Live: ${title}` : title}>
      <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
        <Stack>
          <Consequence action={action} />
          {action !== "cancel" && (
            <TextInput
              label={`Amount in ${currency.toUpperCase()}`}
              description={`${understood === null ? "" : `That is ${money(understood, currency)}. `}At most ${money(most, currency)}.`}
              inputMode="decimal"
              required
              disabled={wish.isOpen}
              data-autofocus
              {...form.getInputProps("amount")}
            />
          )}
          {action === "refund" && (
            <TextInput
              label="Reason (optional)"
              description="For your own records. The customer does not see it."
              maxLength={500}
              disabled={wish.isOpen}
              {...form.getInputProps("reason")}
            />
          )}
          <RefusalAlert error={sending.error} besideFields={["amount", "reason"]} />
          {wish.isOpen && (
            <Alert color="yellow" variant="outline" role="status">
              Whether it was done is not known yet. Ask again: it is never done twice.
            </Alert>
          )}
          <DialogActions
            onCancel={onClose}
            cancel="Close"
            color={action === "cancel" ? "red.9" : "indigo"}
            loading={sending.isPending}
          >
            {wish.isOpen ? "Ask again" : words[action].button}
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}

function Consequence({ action }: { action: PaymentAction }) {
  const sentences: Record<PaymentAction, string> = {
    refund: "The money goes back to the card. A refund cannot be taken back.",
    capture: "Takes what is reserved on the card. What is left of it is let go.",
    cancel: "Lets go what is reserved on the card. Nothing is taken, and this payment is over.",
  };
  return <Text size="sm">{sentences[action]}</Text>;
}
