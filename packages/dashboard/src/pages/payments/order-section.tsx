/**
 * What a payment was for and who paid, as the merchant's server described it in the session and the charge. The card's
 * owner may have typed some of it, so everything is shown as text.
 */
import { Stack, Text } from "@mantine/core";
import type { CheckoutSession } from "@oriel/protocol/api";
import type { PaymentDetail } from "@oriel/protocol/dashboard/payments";
import { useWorkspace } from "../../api/workspace.tsx";
import { DescriptionList, type Fact } from "../../parts/description-list.tsx";
import { Money } from "../../parts/money.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";

/** @returns the session in which the customer paid; null for charges without a session */
export function sessionOf({ timeline }: PaymentDetail): CheckoutSession | null {
  return timeline.find((entry) => entry.type === "session_created")?.session ?? null;
}

export function OrderSection({ payment }: { payment: PaymentDetail }) {
  const { number, description } = payment.order;
  const session = sessionOf(payment);
  const lines = session === null ? [] : linesOf(session);
  const facts: Fact[] = [
    { name: "Order", value: number },
    { name: "Description", value: description },
    ...metadataFacts(payment, session),
  ];
  const hasFacts = facts.some(({ value }) => value !== null && value !== "");
  return (
    <Section title="Order">
      <Stack gap="sm">
        {hasFacts && <DescriptionList facts={facts} />}
        {lines.length > 0 && <Lines lines={lines} currency={payment.currency} />}
        {!hasFacts && lines.length === 0 && (
          <Text size="sm" c="dimmed">
            This payment has no order details. To show them here, set metadata, line_items or description when you
            create the session.
          </Text>
        )}
      </Stack>
    </Section>
  );
}

/** The order number has its own line. If both have the same field, the charge's value comes second. */
function metadataFacts(payment: PaymentDetail, session: CheckoutSession | null): Fact[] {
  const fields = [...Object.entries(session?.metadata ?? {}), ...Object.entries(payment.metadata)].filter(
    ([name, value], position, all) =>
      value !== "" &&
      value.trim() !== payment.order.number &&
      all.findIndex(([otherName, other]) => otherName === name && other === value) === position,
  );
  return fields.map(([name, value], position) => {
    const isSecond = fields.findIndex(([other]) => other === name) < position;
    return { name: isSecond ? `${name} (charge)` : name, value };
  });
}

interface Line {
  name: string;
  /** Null for shipping, discounts and tax. */
  quantity: number | null;
  total: number;
}

/** Everything that adds up to the session's amount. */
function linesOf({ line_items, shipping_options, shipping_option, discounts, tax_amount }: CheckoutSession): Line[] {
  const shipping = shipping_options.filter(({ id }) => id === shipping_option);
  return [
    ...line_items.map(({ name, amount, quantity }) => ({ name, quantity, total: amount * quantity })),
    ...shipping.map(({ name, amount }) => ({ name: `Shipping: ${name}`, quantity: null, total: amount })),
    ...discounts.map(({ name, amount }) => ({ name: `Discount: ${name}`, quantity: null, total: -amount })),
    ...(tax_amount === null ? [] : [{ name: "Tax", quantity: null, total: tax_amount }]),
  ];
}

function Lines({ lines, currency }: { lines: readonly Line[]; currency: string }) {
  return (
    <RecordTable
      label="Line items"
      items={lines.map((line, position) => ({ ...line, position }))}
      rowKey={({ position }) => String(position)}
      empty="No line items."
      columns={[
        { name: "Item", cell: ({ name }) => <span className="long-cell">{name}</span> },
        { name: "Quantity", isAmount: true, cell: ({ quantity }) => quantity?.toLocaleString("en") ?? "" },
        {
          name: "Total",
          isAmount: true,
          cell: ({ total }) => <Money amount={total} currency={currency} />,
        },
      ]}
    />
  );
}

export function CustomerSection({ payment }: { payment: PaymentDetail }) {
  const { href } = useWorkspace();
  const { customer_email: email, customer_name: name, customer_reference: reference } = payment;
  const known = email ?? reference ?? name;
  return (
    <Section title="Customer">
      {known === null ? (
        <Text size="sm" c="dimmed">
          This payment has no customer details. To show them here, set customer when you create the session.
        </Text>
      ) : (
        <DescriptionList
          facts={[
            { name: "Name", value: name },
            { name: "Email", value: email },
            { name: "Reference", value: reference },
            {
              name: "Payments",
              value: (
                <RouteLink to={`${href("payments")}?${new URLSearchParams({ search: known })}`}>
                  All payments of this customer
                </RouteLink>
              ),
            },
          ]}
        />
      )}
    </Section>
  );
}
