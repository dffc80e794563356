/**
 * How many payments of new customers the account takes without a challenge. Each mode has its own setting. Members who
 * can't change it see what applies.
 */
import { Alert, Button, Group, Radio, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import type { ChangeNewCustomers, NewCustomersSetting } from "@oriel/protocol/dashboard/setup";
import { maxBucketSize, newCustomersPolicies } from "@oriel/protocol/new-customers";
import { cacheResponse, refetchIfChanged } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { useWorkspace, useWorkspaceQuery } from "../../api/workspace.tsx";
import { ChangedMeanwhile } from "../../parts/changed-meanwhile.tsx";
import { DescriptionList, type Fact } from "../../parts/description-list.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/section.tsx";
import { useSavedForm } from "../../parts/use-saved-form.ts";
import {
  changeOf,
  checkLimit,
  describePolicy,
  policyWords,
  valuesOf,
  type NewCustomers,
  type NewCustomersValues,
} from "./new-customers-form.ts";

const path = "settings/new-customers";

export function NewCustomersSection() {
  const workspace = useWorkspace();
  const query = useWorkspaceQuery<NewCustomersSetting>(path);
  return (
    <Section
      title="New customers"
      lead={`Choose how many payments by new customers need no challenge. People with stolen card numbers pay with them to find out which ones work, and they usually can't pass a challenge. Applies to ${workspace.mode} mode, from the next payment on.`}
    >
      <Loaded query={query} lines={6}>
        {(setting) => {
          if (!setting.applies) return <NotApplied />;
          if (!workspace.may("developing")) return <Applied setting={setting} />;
          return <PolicyForm setting={setting} />;
        }}
      </Loaded>
    </Section>
  );
}

function NotApplied() {
  const { mode } = useWorkspace();
  return (
    <Alert color="gray" variant="outline">
      Risk rules are off in {mode} mode, so this setting has no effect.
    </Alert>
  );
}

function Applied({ setting }: { setting: NewCustomers }) {
  const policy = setting.policy ?? setting.default.policy;
  return (
    <Stack gap="sm">
      <DescriptionList
        facts={[
          { name: "Setting", value: describePolicy({ policy, bucket_size: setting.bucket_size }) },
          { name: "Meaning", value: policyWords[policy].meaning },
          { name: "Left now", value: policy === "tokens" && leftOf(setting) },
        ]}
      />
      <Text size="sm" c="dimmed">
        Owners and developers can change this setting.
      </Text>
    </Stack>
  );
}

interface Sending {
  body: ChangeNewCustomers;
  /** What the form had then. */
  values: NewCustomersValues;
}

function PolicyForm({ setting }: { setting: NewCustomers }) {
  const workspace = useWorkspace();
  const form = useSavedForm(setting, valuesOf, { validate: { bucket_size: checkLimit } });
  const sending = useMutation({
    mutationFn: ({ body: change }: Sending) => {
      const { policy, bucket_size } = form.seen;
      const body: ChangeNewCustomers = { ...change, seen: { policy, bucket_size } };
      return request<NewCustomersSetting>(workspace.data(path), { method: "PUT", body });
    },
    onSuccess: (setting, { values }) => {
      if (setting.applies) form.hasSaved(values, setting);
      cacheResponse(workspace.key(path), setting);
      notifications.show({ message: "Setting for new customers saved" });
    },
    onError: (error) => {
      showRefusal(form, error);
      refetchIfChanged(workspace.key(path), error);
    },
  });
  const isDefault = setting.policy === null;
  const isReset = sending.variables?.body.policy === null;
  return (
    <form
      onSubmit={form.onSubmit(
        (values) => sending.mutate({ body: changeOf(values, setting), values }),
        () => form.getInputNode("bucket_size")?.focus(), // the only field that can be invalid
      )}
      noValidate
    >
      <Stack maw={640}>
        <ErrorAlert error={sending.error} inlineFields={["bucket_size"]} />
        <ChangedMeanwhile form={form} factOf={(name) => savedFactOf(name, setting)} onChosen={() => sending.reset()} />
        <Radio.Group
          label="Payments of new customers"
          description="A customer is returning one day after a payment with a challenge, or 30 days after a payment that wasn't refunded, with the same card or browser."
          {...form.getInputProps("policy")}
        >
          <Stack gap="xs" mt="xs">
            {newCustomersPolicies.map((policy) => (
              <Radio
                key={policy}
                value={policy}
                label={policyWords[policy].name}
                description={policyWords[policy].meaning}
              />
            ))}
          </Stack>
        </Radio.Group>
        {form.values.policy === "tokens" && (
          <TextInput
            label="Payments without a challenge"
            description={`From 1 to ${maxBucketSize.toLocaleString("en")}. Left now: ${leftOf(setting)}.`}
            inputMode="numeric"
            autoComplete="off"
            maxLength={9}
            maw={280}
            required
            {...form.getInputProps("bucket_size")}
          />
        )}
        <Text size="sm" c="dimmed">
          {isDefault
            ? "You're using the operator's default. Save to keep these values if the default changes."
            : `Operator's default: ${describePolicy(setting.default)}.`}
        </Text>
        <Group>
          <Button type="submit" loading={sending.isPending && !isReset} disabled={!isDefault && !form.isDirty()}>
            Save
          </Button>
          {!isDefault && (
            <Button
              variant="default"
              loading={sending.isPending && isReset}
              onClick={() => sending.mutate({ body: { ...setting.default, policy: null }, values: form.getValues() })}
            >
              Use default
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function savedFactOf(name: keyof NewCustomersValues, setting: NewCustomers): Fact {
  return name === "policy"
    ? { name: "Payments of new customers", value: policyWords[setting.policy ?? setting.default.policy].name }
    : { name: "Payments without a challenge", value: setting.bucket_size.toLocaleString("en") };
}

function leftOf({ tokens, bucket_size }: NewCustomers): string {
  return `${tokens.toLocaleString("en")} of ${bucket_size.toLocaleString("en")}`;
}
