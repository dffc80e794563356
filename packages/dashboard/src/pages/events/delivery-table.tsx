/** The deliveries of an event or to an endpoint, with the response to the last attempt of each. */
import { Code, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { useState, type ReactNode } from "react";
import type { Delivery } from "@oriel/protocol/api";
import { DateTime } from "../../parts/date-time.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { RecordTable, type Column } from "../../parts/record-table.tsx";
import { DeliveryStatus, lastAttempt } from "./delivery-labels.tsx";

export interface DeliveryTableProps<Item extends Delivery> {
  deliveries: readonly Item[];
  /** The name of the first column: the endpoint or the event. */
  placeName: string;
  place: (delivery: Item) => ReactNode;
  empty: string;
  /** Null if the user may not perform any action. */
  action?: ((delivery: Item) => ReactNode) | null;
}

export function DeliveryTable<Item extends Delivery>({ deliveries, ...rest }: DeliveryTableProps<Item>) {
  const { columns, dialog } = useDeliveryColumns(rest);
  return (
    <>
      <RecordTable label="Deliveries" items={deliveries} rowKey={({ id }) => id} empty={rest.empty} columns={columns} />
      {dialog}
    </>
  );
}

/** The columns and the dialog, for use in a paginated list. */
export function useDeliveryColumns<Item extends Delivery>({
  placeName,
  place,
  action = null,
}: Omit<DeliveryTableProps<Item>, "deliveries" | "empty">): { columns: readonly Column<Item>[]; dialog: ReactNode } {
  const [shown, setShown] = useState<Item | null>(null);
  const columns: Column<Item>[] = [
    { name: placeName, cell: place },
    { name: "Status", cell: ({ status }) => <DeliveryStatus status={status} /> },
    {
      name: "Last attempt",
      cell: (delivery) =>
        delivery.last_try === null ? (
          lastAttempt(delivery)
        ) : (
          <UnstyledButton className="row-link" fz="sm" onClick={() => setShown(delivery)}>
            {lastAttempt(delivery)}
          </UnstyledButton>
        ),
    },
    { name: "Attempts", isAmount: true, cell: ({ tries }) => tries },
    { name: "Next attempt", cell: ({ next_try_at }) => <DateTime at={next_try_at} /> },
  ];
  if (action !== null)
    columns.push({ name: "Action", isNameHidden: true, cell: (delivery) => <Group gap={4}>{action(delivery)}</Group> });
  const dialog = shown !== null && (
    <Dialog onClose={() => setShown(null)} title="Last attempt" size="lg">
      <AttemptDetail delivery={shown} />
    </Dialog>
  );
  return { columns, dialog };
}

function AttemptDetail({ delivery }: { delivery: Delivery }) {
  const { last_try } = delivery;
  if (last_try === null) return null;
  return (
    <Stack gap="xs">
      <Text size="sm">
        {lastAttempt(delivery)}, <DateTime at={last_try.at} />
      </Text>
      {last_try.response_body === null || last_try.response_body === "" ? (
        <Text size="sm" c="dimmed">
          The response had no body.
        </Text>
      ) : (
        <>
          <Text size="sm">First kilobyte of the response:</Text>
          <Code
            block
            className="break-anywhere"
            style={{ whiteSpace: "pre-wrap" }}
            tabIndex={0}
            role="region"
            aria-label="Response"
          >
            {last_try.response_body}
          </Code>
        </>
      )}
    </Stack>
  );
}
