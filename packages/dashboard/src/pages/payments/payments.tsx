/** All payments, newest first. The filters are in the URL, so that searches can be bookmarked and shared. */
import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import type { PaymentPage, PaymentRow } from "@oriel/protocol/dashboard/payments";
import { request } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Money } from "../../parts/money.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable, type Column } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { amountLine, netAmount, totalLine } from "./amount-line.ts";
import { ExportPayments } from "./export-payments.tsx";
import { hasFilters, PaymentFilters, readFilters } from "./payment-filters.tsx";
import { CardName, PaymentStatus, sentence } from "./payment-labels.tsx";

export function Payments() {
  const { href, may, mode } = useWorkspace();
  const [params] = useSearchParams();
  const filters = readFilters(params);
  const payments = usePayments(filters);
  const last = payments.data?.pages.at(-1);
  const found = payments.data?.pages.flatMap((page) => page.data) ?? [];
  const ofOrder = found.filter(({ order }) => isOrder(order.number, filters.get("search") ?? ""));
  return (
    <Page title="Payments" actions={<ExportPayments filters={filters} />}>
      <PaymentFilters filters={filters} />
      {ofOrder.length < found.length &&
        ofOrder.map((payment) => (
          <Text key={payment.id} className="break-anywhere">
            Order {payment.order.number}:{" "}
            <RouteLink to={href(`payments/${payment.id}`)}>{amountLine(payment)}</RouteLink>
          </Text>
        ))}
      {hasFilters(filters) && last?.has_more === false && found.length > 0 && (
        <Text size="sm" role="status">
          {totalLine(found)}
        </Text>
      )}
      <PagedTable
        label="Payments"
        query={payments}
        rowKey={({ id }) => id}
        columns={columnsOf(href)}
        empty={
          hasFilters(filters) ? (
            filters.has("search") ? (
              "No matching payments. Search for whole words, such as an order number or a name, or remove a filter."
            ) : (
              "No matching payments. Try removing a filter."
            )
          ) : (
            <>
              No payments yet.{" "}
              {mode === "test" && may("developing") && (
                <RouteLink to={href("overview")}>Set up your first payment</RouteLink>
              )}
            </>
          )
        }
      />
      {last?.has_more && last.searched_to !== null && (
        <Text size="sm" c="dimmed" ta="center" role="status">
          Searched back to <DateTime at={last.searched_to} />. To search older payments, select “Show more”.
        </Text>
      )}
    </Page>
  );
}

/** This list uses its own cursor, because a search can return an empty page even though there are older payments. */
function usePayments(filters: URLSearchParams) {
  const workspace = useWorkspace();
  return useInfiniteQuery({
    queryKey: [...workspace.key("payments"), "list", filters.toString()],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams(filters);
      query.set("limit", "25");
      if (pageParam !== "") query.set("starting_after", pageParam);
      return request<PaymentPage>(`${workspace.data("payments")}?${query}`, { signal });
    },
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
  });
}

function columnsOf(href: (page: string) => string): readonly Column<PaymentRow>[] {
  return [
    {
      name: "Amount",
      cell: (payment) => (
        <>
          <RouteLink to={href(`payments/${payment.id}`)}>
            <Money amount={payment.amount} currency={payment.currency} />
          </RouteLink>
          {payment.status === "succeeded" && netAmount(payment) !== payment.amount && (
            <Text size="xs" c="dimmed" component="div">
              <Clamped>{amountLine(payment)}</Clamped>
            </Text>
          )}
        </>
      ),
    },
    { name: "Order", cell: ({ id, order }) => <OrderName order={order} to={href(`payments/${id}`)} /> },
    {
      name: "Customer",
      cell: ({ customer_email, customer_name, customer_reference }) => (
        <Clamped>{customer_email ?? customer_name ?? customer_reference ?? "-"}</Clamped>
      ),
    },
    { name: "Card", cell: (payment) => <CardName {...payment} /> },
    {
      name: "Status",
      cell: (payment) => (
        <>
          <PaymentStatus {...payment} />
          {payment.failure !== null && (
            <Text size="xs" c="dimmed">
              {sentence(payment.failure.decline_code)}
            </Text>
          )}
        </>
      ),
    },
    { name: "Date", cell: ({ created }) => <DateTime at={created} /> },
  ];
}

/** Whether someone who searches for this text means this order. `1234` also finds cards and amounts. */
function isOrder(number: string | null, search: string): boolean {
  const text = search.trim().replace(/^(order|invoice)\b/i, "").trim().replace(/^#/, ""); // prettier-ignore
  return number !== null && number.replace(/^#/, "").toLowerCase() === text.toLowerCase();
}

/** The order number, which leads to the payment, and what was ordered. */
function OrderName({ order, to }: Pick<PaymentRow, "order"> & { to: string }) {
  const { number, description, first_item, item_count } = order;
  const items = first_item === null ? null : item_count > 1 ? `${first_item} and ${item_count - 1} more` : first_item;
  const what = description ?? items;
  if (number === null) return <Clamped>{what ?? "-"}</Clamped>;
  return (
    <>
      <RouteLink to={to}>
        <Clamped>{number}</Clamped>
      </RouteLink>
      {what !== null && (
        <Text size="xs" c="dimmed" component="div">
          <Clamped>{what}</Clamped>
        </Text>
      )}
    </>
  );
}

/** Customers and merchants can make these texts long. The payment's page shows all of them. */
function Clamped({ children }: { children: string }) {
  return <span className="clamped-cell">{children}</span>;
}
