/**
 * Refunds, captures or cancels a payment. The action runs once, however often the button is clicked. If its outcome is
 * unknown, the dialog only offers to retry the same request, even after it was closed and reopened. The service then
 * returns the outcome.
 */
import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Charge, Refund } from "@oriel/protocol/api";
import type { PaymentDetail } from "@oriel/protocol/dashboard/payments";
import { findUndecided, forgetUndecided, saveUndecided } from "../../api/pending-actions.ts";
import { request } from "../../api/request.ts";
import { useIdempotentAction } from "../../api/use-idempotent-action.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { DialogActions } from "../../parts/dialog-actions.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { money } from "../../parts/money.tsx";
import { noAmount, parseAmount, writeAmount } from "../../parts/parse-amount.ts";
import { refundableAmount } from "./refundable-amount.ts";

export type PaymentAction = "refund" | "capture" | "cancel";

/** `close` must not be mistaken for the button that cancels the payment. */
const words: Readonly<Record<PaymentAction, DialogWords>> = {
  refund: {
    title: "Refund payment",
    button: "Refund",
    close: "Cancel",
    done: "Refund created",
    pending: "Refund pending",
  },
  capture: {
    title: "Capture payment",
    button: "Capture",
    close: "Cancel",
    done: "Payment captured",
    pending: "Capture pending",
  },
  cancel: {
    title: "Cancel payment",
    button: "Cancel payment",
    close: "Close",
    done: "Payment canceled",
    pending: "Cancellation pending",
  },
};

interface DialogWords {
  title: string;
  /** The label of the button. */
  button: string;
  close: string;
  done: string;
  /** The acquirer accepted it and reports the outcome later. */
  pending: string;
}

export interface PaymentDialogProps {
  payment: PaymentDetail;
  action: PaymentAction;
  onClose: () => void;
}

export function PaymentDialog({ payment, action, onClose }: PaymentDialogProps) {
  const { mode } = useWorkspace();
  const { form, sending, isOpen, maxAmount } = usePaymentAction({ payment, action, onClose });
  const { currency } = payment;
  const parsed = parseAmount(form.values.amount, currency);
  const { title, close, button } = words[action];
  return (
    // The title says "Live mode" because the dialog covers the mode bar.
    <Dialog onClose={onClose} title={mode === "live" ? `Live mode: ${title}` : title}>
      <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
        <Stack>
          <Text fw={600} className="break-anywhere">
            {subjectOf(payment)}
          </Text>
          <Consequence action={action} />
          {action === "refund" && payment.disputes.some(({ status }) => status !== "won") && (
            <Alert color="yellow" variant="outline">
              This payment is disputed. If you refund it after a chargeback, the customer gets the money twice.
            </Alert>
          )}
          {action !== "cancel" && (
            <TextInput
              label={`Amount (${currency.toUpperCase()})`}
              description={
                parsed === null
                  ? `You can ${action} up to ${money(maxAmount, currency)}.`
                  : `${money(parsed, currency)} of up to ${money(maxAmount, currency)}`
              }
              inputMode="decimal"
              required
              disabled={isOpen}
              data-autofocus
              {...form.getInputProps("amount")}
            />
          )}
          {action !== "cancel" && (
            <Suggestions
              amounts={suggestedAmounts(action, payment)}
              currency={currency}
              chosen={parsed}
              disabled={isOpen}
              onChoose={(amount) => form.setFieldValue("amount", writeAmount(amount, currency))}
            />
          )}
          {action === "refund" && (
            <TextInput
              label="Reason (optional)"
              description="For your records. Customers don't see it."
              maxLength={500}
              disabled={isOpen}
              {...form.getInputProps("reason")}
            />
          )}
          <ErrorAlert error={sending.error} inlineFields={["amount", "reason"]} />
          {isOpen && (
            <Alert color="yellow" variant="outline" role="status">
              Outcome unknown. You can retry safely; it won't run twice.
            </Alert>
          )}
          <DialogActions
            onCancel={onClose}
            cancel={isOpen ? "Close" : close}
            color={action === "cancel" ? "red.9" : "indigo"}
            loading={sending.isPending}
          >
            {isOpen ? "Retry" : button}
            {!isOpen && action !== "cancel" && parsed !== null && ` ${money(parsed, currency)}`}
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}

/** The dialog's form, and the request that it sends. */
function usePaymentAction({ payment, action, onClose }: PaymentDialogProps) {
  const { id, currency } = payment;
  const maxAmount = action === "refund" ? refundableAmount(payment) : payment.amount;
  const workspace = useWorkspace();
  const client = useQueryClient();
  const path = workspace.data(`payments/${id}/${action}`);
  const place = { loginId: workspace.me.login.id, path };
  const [undecided] = useState(() => findUndecided<{ amount: string; reason: string }>(place));
  const idempotency = useIdempotentAction(undecided?.key);
  const form = useForm({
    initialValues: undecided?.values ?? { amount: writeAmount(maxAmount, currency), reason: "" },
    validate: {
      amount: (text) => {
        if (idempotency.isOpen) return null; // the request may have succeeded and lowered the maximum
        const amount = parseAmount(text, currency);
        if (amount === null) return noAmount(text, currency);
        return amount > maxAmount ? `Enter at most ${money(maxAmount, currency)}.` : null;
      },
    },
  });
  const sending = useMutation({
    mutationFn: (values: { amount: string; reason: string }) => {
      const { amount, reason } = values;
      if (!idempotency.isOpen) saveUndecided(place, { key: idempotency.key, values });
      return request<Charge | Refund>(path, {
        method: "POST",
        idempotencyKey: idempotency.key,
        body: {
          ...(action === "cancel" ? {} : { amount: parseAmount(amount, currency) }),
          ...(action === "refund" && reason.trim() !== "" ? { reason: reason.trim() } : {}),
        },
      });
    },
    onSuccess: (result, { amount }) => {
      forgetUndecided(place);
      const sent = action === "cancel" ? null : parseAmount(amount, currency);
      const done = isPending(result) ? words[action].pending : words[action].done;
      notifications.show({ message: sent === null ? done : `${done}: ${money(sent, currency)}` });
      onClose();
    },
    onError: (error) => {
      if (!idempotency.failed(error)) forgetUndecided(place);
      showRefusal(form, error);
    },
    onSettled: () => client.invalidateQueries({ queryKey: workspace.key("payments") }),
  });
  return { form, sending, isOpen: idempotency.isOpen, maxAmount };
}

/** Whether the acquirer accepted the request and reports the outcome later. */
function isPending(result: Charge | Refund): boolean {
  return result.object === "charge" ? result.pending_operation !== null : result.status === "pending";
}

/** All that can be refunded or captured, and half of the payment if that's less. */
function suggestedAmounts(action: "refund" | "capture", payment: PaymentDetail) {
  const whole = action === "refund" ? payment.amount_captured : payment.amount;
  const maxAmount = action === "refund" ? refundableAmount(payment) : whole;
  const half = Math.floor(whole / 2);
  return [
    { name: maxAmount === whole ? "Full" : "Remaining", amount: maxAmount },
    ...(half > 0 && half < maxAmount ? [{ name: "Half", amount: half }] : []),
  ];
}

interface SuggestionsProps {
  amounts: readonly { name: string; amount: number }[];
  currency: string;
  chosen: number | null;
  disabled: boolean;
  onChoose: (amount: number) => void;
}

function Suggestions({ amounts, currency, chosen, disabled, onChoose }: SuggestionsProps) {
  return (
    <Group gap="xs" role="group" aria-label="Suggestions">
      {amounts.map(({ name, amount }) => (
        <Button
          key={name}
          size="xs"
          variant={amount === chosen ? "light" : "default"}
          aria-pressed={amount === chosen}
          disabled={disabled}
          onClick={() => onChoose(amount)}
        >
          {name}: {money(amount, currency)}
        </Button>
      ))}
    </Group>
  );
}

/** The payment in the merchant's own terms. The dialog covers the page that shows them. */
function subjectOf({ amount, currency, order, customer_email, customer_name }: PaymentDetail): string {
  const whole = `Payment of ${money(amount, currency)}`;
  return [order.number === null ? whole : `Order ${order.number}`, customer_email ?? customer_name]
    .filter((part) => part !== null)
    .join(", ");
}

function Consequence({ action }: { action: PaymentAction }) {
  const sentences: Record<PaymentAction, string> = {
    refund: "Returns money to the customer's card. You can't undo a refund.",
    capture: "Captures money that is reserved on the card. Any amount that you don't capture is released.",
    cancel: "Releases the money that is reserved on the card. The customer isn't charged. You can't undo this.",
  };
  return <Text size="sm">{sentences[action]}</Text>;
}
