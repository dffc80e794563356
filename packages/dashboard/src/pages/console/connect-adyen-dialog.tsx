/**
 * Connects an account to its merchant account at Adyen, or changes the connection. Keys are sent and never shown again.
 * The service asks operators to confirm their identity first.
 */
import { Button, Checkbox, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { OperatorAcquirer, OperatorAcquirers, SetAcquirerAccount } from "@oriel/protocol/dashboard/acquirers";
import type { OperatorAccount } from "@oriel/protocol/dashboard/underwriting";
import { isolate } from "@oriel/protocol/isolate";
import { refetchIfChanged } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { ChangedMeanwhile } from "../../parts/changed-meanwhile.tsx";
import type { Fact } from "../../parts/description-list.tsx";
import { DialogActions } from "../../parts/dialog-actions.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { required, showRefusal } from "../../parts/form-errors.ts";
import { useSavedForm } from "../../parts/use-saved-form.ts";
import { cacheChange, operatorKey } from "./operator-requests.ts";

export interface ConnectAdyenDialogProps {
  account: OperatorAccount;
  livemode: boolean;
  /** The current acquirer account or a replaced one. Null if there is no current one to change. */
  connected: OperatorAcquirer | null;
}

export function ConnectAdyenDialog(props: ConnectAdyenDialogProps) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const { account, livemode, connected } = props;
  const mode = livemode ? "live" : "test";
  const action = connected === null ? "Connect Adyen" : "Change connection";
  const label = isReplaced(connected) ? `${action} of ${connected.id}` : `${action} in ${mode} mode`;
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setIsOpen(true)} aria-label={label}>
        {action}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={`Adyen for ${isolate(account.name)}, ${mode} mode`}>
        <ConnectAdyenForm {...props} onClose={close} />
      </Dialog>
    </>
  );
}

interface Values {
  merchantAccount: string;
  apiUrl: string;
  hasPartialCaptures: boolean;
  apiKey: string;
  hmacKey: string;
  oldHmacKey: string;
}

/** The form's names of the service's fields. */
const names = {
  "settings.merchant_account": "merchantAccount",
  "settings.api_url": "apiUrl",
  "credentials.api_key": "apiKey",
  "credentials.hmac_keys": "hmacKey",
};

function ConnectAdyenForm({
  account,
  livemode,
  connected,
  onClose,
}: ConnectAdyenDialogProps & { onClose: () => void }) {
  const before = connected?.settings ?? {};
  const usesSavedKeys = ({ merchantAccount, apiKey, hmacKey, oldHmacKey }: Values) =>
    connected !== null &&
    merchantAccount.trim() === before["merchant_account"] &&
    [apiKey, hmacKey, oldHmacKey].every((key) => key.trim() === "");
  const requiredKey = (what: string) => (key: string, values: Values) =>
    usesSavedKeys(values) ? null : required(what)(key);
  const form = useSavedForm(connected, valuesOf, {
    validate: {
      merchantAccount: required("the merchant account"),
      apiUrl: required("the API URL"),
      apiKey: requiredKey("the API key"),
      hmacKey: requiredKey("the HMAC key"),
    },
  });
  const path = `accounts/${account.id}/acquirers`;
  const connecting = useMutation({
    mutationFn: (values: Values) => {
      const body: SetAcquirerAccount = {
        ...(isReplaced(connected) ? { id: connected.id } : {}),
        livemode,
        connector: "adyen",
        settings: {
          merchant_account: values.merchantAccount.trim(),
          api_url: values.apiUrl.trim(),
          multiple_partial_captures: values.hasPartialCaptures,
        },
        ...(usesSavedKeys(values) ? {} : { credentials: credentialsOf(values) }),
        seen: form.seen && { id: form.seen.id, settings: form.seen.settings },
      };
      return request<OperatorAcquirers>(`/operator/${path}`, { method: "POST", body });
    },
    onSuccess: (data) => {
      cacheChange(path, data);
      notifications.show({ message: isReplaced(connected) ? "Connection changed" : "Adyen connected" });
      onClose();
    },
    onError: (error) => {
      showRefusal(form, error, names);
      refetchIfChanged(operatorKey(path), error);
    },
  });
  const isOther = connected !== null && form.values.merchantAccount.trim() !== before["merchant_account"];
  return (
    <form onSubmit={form.onSubmit((values) => connecting.mutate(values))} noValidate autoComplete="off">
      <Stack>
        <Text size="sm">{explanationOf(connected)}</Text>
        <TextInput
          label="Merchant account"
          description="Its code in Adyen's Customer Area"
          maxLength={80}
          spellCheck={false}
          readOnly={isReplaced(connected)}
          data-autofocus
          {...form.getInputProps("merchantAccount")}
        />
        <TextInput
          label="API URL"
          description={
            livemode
              ? "Of the Checkout API, with your prefix: https://…-checkout-live.adyenpayments.com/checkout/v72"
              : "Of the Checkout API: https://checkout-test.adyen.com/v72"
          }
          inputMode="url"
          maxLength={2048}
          spellCheck={false}
          {...form.getInputProps("apiUrl")}
        />
        <Checkbox
          label="Multiple partial captures"
          description="Only if Adyen has enabled them for the merchant account"
          {...form.getInputProps("hasPartialCaptures", { type: "checkbox" })}
        />
        {connected !== null && (
          <Text size="sm">
            {isOther
              ? "Enter the keys of the new merchant account."
              : "To keep the keys, leave them empty. To change one, enter both."}
          </Text>
        )}
        <PasswordInput
          label="API key"
          description="It's stored encrypted and never shown again."
          maxLength={1024}
          autoComplete="off"
          {...form.getInputProps("apiKey")}
        />
        <PasswordInput
          label="HMAC key"
          description="Of the standard webhook, 64 characters"
          maxLength={64}
          autoComplete="off"
          {...form.getInputProps("hmacKey")}
        />
        <PasswordInput
          label="Old HMAC key (optional)"
          description="While Adyen changes keys, notifications are accepted with either of them."
          maxLength={64}
          autoComplete="off"
          {...form.getInputProps("oldHmacKey")}
        />
        <ErrorAlert error={connecting.error} inlineFields={Object.keys(names)} />
        <ChangedMeanwhile
          form={form}
          factOf={(name) => savedFactOf(name, valuesOf(connected))}
          onChosen={() => connecting.reset()}
        />
        <DialogActions onCancel={onClose} loading={connecting.isPending}>
          {connected === null ? "Connect" : "Save"}
        </DialogActions>
      </Stack>
    </form>
  );
}

function valuesOf(connected: OperatorAcquirer | null): Values {
  const settings = connected?.settings ?? {};
  return {
    merchantAccount: String(settings["merchant_account"] ?? ""),
    apiUrl: String(settings["api_url"] ?? ""),
    hasPartialCaptures: settings["multiple_partial_captures"] === true,
    apiKey: "",
    hmacKey: "",
    oldHmacKey: "",
  };
}

/** Only of settings, because keys are always empty before they're typed. */
function savedFactOf(name: keyof Values, { merchantAccount, apiUrl, hasPartialCaptures }: Values): Fact {
  if (name === "merchantAccount") return { name: "Merchant account", value: merchantAccount };
  if (name === "apiUrl") return { name: "API URL", value: apiUrl };
  return { name: "Multiple partial captures", value: hasPartialCaptures ? "Yes" : "No" };
}

function isReplaced(connected: OperatorAcquirer | null): connected is OperatorAcquirer & { replaced: number } {
  return connected !== null && connected.replaced !== null;
}

function explanationOf(connected: OperatorAcquirer | null): string {
  if (connected === null)
    return "New payments use this merchant account. Earlier payments stay with the acquirer that they were made with.";
  if (isReplaced(connected))
    return "This acquirer account was replaced. Changes only apply to payments that were made with it.";
  return "With another merchant account, only new payments use it. All other changes also apply to earlier payments.";
}

function credentialsOf({ apiKey, hmacKey, oldHmacKey }: Values) {
  const hmacKeys = [hmacKey, oldHmacKey].map((key) => key.trim()).filter((key) => key !== "");
  return { api_key: apiKey.trim(), hmac_keys: hmacKeys };
}
