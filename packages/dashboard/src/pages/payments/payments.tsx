/** All payments, newest first. The filters are in the URL, so that searches can be bookmarked and shared. */
import { Button, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { maxCsvRows, type PaymentPage, type PaymentRow } from "@oriel/protocol/dashboard-payments";
import { ask } from "../../api/request.ts";
import { useDesk } from "../../api/account-mode.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Money } from "../../parts/money.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable, type Column } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { hasFilters, PaymentFilters, readFilters } from "./payment-filters.tsx";
import { CardName, PaymentStatus, sentence } from "./payment-labels.tsx";

export function Payments() {
  const { data, href, may, mode } = useDesk();
  const [params] = useSearchParams();
  const filters = readFilters(params);
  const payments = usePayments(filters);
  const last = payments.data?.pages.at(-1);
  return (
    <Page
      title="Payments"
      actions={
        <Stack gap={2} align="center">
          <Button
            component="a"
            href={`${data("payments.csv")}?${filters}`}
            download
            variant="default"
            size="sm"
            aria-describedby="csv-limit"
          >
            Export CSV
          </Button>
          <Text id="csv-limit" size="xs" c="dimmed">
            Newest {maxCsvRows.toLocaleString("en")} payments
          </Text>
        </Stack>
      }
    >
      <PaymentFilters key={filters.toString()} filters={filters} />
      <PagedTable
        label="Payments"
        query={payments}
        rowKey={({ id }) => id}
        columns={columnsOf(href)}
        empty={
          hasFilters(filters) ? (
            "No matching payments. Try removing a filter."
          ) : (
            <>
              No payments yet.{" "}
              {mode === "test" && may("developing") && (
                <RouteLink to={href("integrate")}>Make a test payment</RouteLink>
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
  const desk = useDesk();
  return useInfiniteQuery({
    queryKey: [...desk.key("payments"), "list", filters.toString()],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams(filters);
      query.set("limit", "25");
      if (pageParam !== "") query.set("starting_after", pageParam);
      return ask<PaymentPage>(`${desk.data("payments")}?${query}`, { signal });
    },
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
  });
}

function columnsOf(href: (page: string) => string): readonly Column<PaymentRow>[] {
  return [
    {
      name: "Amount",
      isAmount: true,
      cell: ({ id, amount, currency }) => (
        <RouteLink to={href(`payments/${id}`)}>
          <Money amount={amount} currency={currency} />
        </RouteLink>
      ),
    },
    { name: "Status", cell: (payment) => <PaymentStatus {...payment} /> },
    { name: "Date", cell: ({ created }) => <DateTime at={created} /> },
    {
      name: "Decline reason",
      isDetail: true,
      cell: ({ failure }) => (failure === null ? "" : sentence(failure.decline_code)),
    },
    { name: "Card", isDetail: true, cell: (payment) => <CardName {...payment} /> },
    { name: "Customer", isDetail: true, cell: ({ customer_email }) => customer_email ?? "-" },
  ];
}
