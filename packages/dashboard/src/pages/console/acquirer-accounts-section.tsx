/**
 * The acquirer accounts of an account: the current one of each mode, and those that were replaced. Credentials are never
 * shown.
 */
import { Stack, Text, Title } from "@mantine/core";
import type { OperatorAcquirer, OperatorAcquirers } from "@oriel/protocol/dashboard/acquirers";
import type { OperatorAccount } from "@oriel/protocol/dashboard/underwriting";
import { CopyLine } from "../../parts/copy-text.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { DescriptionList } from "../../parts/description-list.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { Section } from "../../parts/section.tsx";
import { ConnectAdyenDialog } from "./connect-adyen-dialog.tsx";
import { useOperatorQuery } from "./operator-requests.ts";

const modes = [
  { livemode: false, name: "Test mode", otherwise: "the sandbox bank" },
  { livemode: true, name: "Live mode", otherwise: "the service's live acquirer, if there is one" },
] as const;

export function AcquirerAccountsSection({ account }: { account: OperatorAccount }) {
  const query = useOperatorQuery<OperatorAcquirers>(`accounts/${account.id}/acquirers`);
  return (
    <Section
      title="Acquirer accounts"
      lead="The account's own accounts at acquirers. Each payment keeps the one it was made with."
    >
      <Loaded query={query}>
        {({ data }) => (
          <Stack gap="xl">
            {modes.map(({ livemode, name, otherwise }) => {
              const current = data.find((each) => each.livemode === livemode && each.replaced === null) ?? null;
              return (
                <Stack key={name} gap="sm" align="start">
                  <Title order={3}>{name}</Title>
                  {current === null ? (
                    <Text size="sm">Not connected. Payments use {otherwise}.</Text>
                  ) : (
                    <CurrentAccount current={current} />
                  )}
                  <ConnectAdyenDialog account={account} livemode={livemode} connected={current} />
                </Stack>
              );
            })}
            <ReplacedAccounts account={account} replaced={data.filter(({ replaced }) => replaced !== null)} />
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function CurrentAccount({ current }: { current: OperatorAcquirer }) {
  const { id, settings, notification_url, created, updated } = current;
  return (
    <>
      <DescriptionList
        facts={[
          { name: "Acquirer", value: "Adyen" },
          { name: "Merchant account", value: settings["merchant_account"] },
          { name: "API URL", value: settings["api_url"] },
          { name: "Multiple partial captures", value: settings["multiple_partial_captures"] === true ? "Yes" : "No" },
          { name: "Credentials", value: "Set" },
          { name: "Connected", value: <DateTime at={created} /> },
          { name: "Last change", value: updated === created ? null : <DateTime at={updated} /> },
          { name: "Acquirer account ID", value: <CopyLine text={id} what={`acquirer account ID ${id}`} /> },
          { name: "Notification URL", value: <CopyLine text={notification_url} what={`notification URL of ${id}`} /> },
        ]}
      />
      <Text size="sm" c="dimmed" maw="70ch">
        Enter the notification URL in Adyen's Customer Area, as the URL of the standard webhook. Without notifications,
        captures and refunds stay pending.
      </Text>
    </>
  );
}

function ReplacedAccounts({ account, replaced }: { account: OperatorAccount; replaced: readonly OperatorAcquirer[] }) {
  if (replaced.length === 0) return null;
  return (
    <Stack gap="sm">
      <Title order={3}>Replaced</Title>
      <RecordTable
        label="Replaced acquirer accounts"
        items={replaced}
        rowKey={({ id }) => id}
        empty="None."
        columns={[
          { name: "Merchant account", cell: ({ settings }) => settings["merchant_account"] },
          { name: "Mode", cell: ({ livemode }) => (livemode ? "Live" : "Test") },
          { name: "Replaced", cell: (each) => <DateTime at={each.replaced} /> },
          { name: "ID", cell: ({ id }) => <CopyLine text={id} what={`acquirer account ID ${id}`} /> },
          {
            name: "Action",
            isNameHidden: true,
            cell: (each) => <ConnectAdyenDialog account={account} livemode={each.livemode} connected={each} />,
          },
        ]}
      />
    </Stack>
  );
}
