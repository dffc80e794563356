/**
 * Figures for the last days: gross volume, payments and success rate by currency, and the reasons for declines.
 */
import { Button, Group, Paper, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { Link, useSearchParams } from "wouter";
import type { CurrencyOverview, Overview as OverviewResponse } from "@oriel/protocol/dashboard/payments";
import type { EndpointWithHealth } from "@oriel/protocol/dashboard/setup";
import { useWorkspace, useWorkspaceList, useWorkspaceQuery } from "../../api/workspace.tsx";
import { CardTestingAlert } from "../../layout/card-testing-alert.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { money } from "../../parts/money.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { WorkAlert } from "../attention/work-alert.tsx";
import { FailingEndpoints } from "../developers/webhook-health.tsx";
import { FirstRun } from "../integrate/first-run.tsx";
import { percent, sentence } from "./payment-labels.tsx";

/** Loaded separately because the charting library is as large as the rest of the dashboard. */
const DayCharts = lazy(async () => ({ default: (await import("./day-charts.tsx")).DayCharts }));
const DeclineChart = lazy(async () => ({ default: (await import("./decline-chart.tsx")).DeclineChart }));

const spans = ["7", "30", "90"] as const;

export function Overview() {
  const { may } = useWorkspace();
  const [params] = useSearchParams();
  const days = spans.find((span) => span === params.get("days")) ?? "30";
  const overview = useWorkspaceQuery<OverviewResponse>(`overview?days=${days}`);
  return (
    <Page title="Overview" lead="Daily totals in UTC, including today." actions={<SpanSwitch days={days} />}>
      <WorkAlert />
      <CardTestingAlert show="ended" />
      {may("developing") && <FailingWebhooks />}
      <Loaded query={overview} lines={8}>
        {(data) =>
          data.currencies.length === 0 ? (
            <FirstRun otherwise="No payments in this period." onPayment={() => void overview.refetch()} />
          ) : (
            <Figures overview={data} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** A shop that receives no webhooks ships no orders, so this comes before the figures. */
function FailingWebhooks() {
  const endpoints = useWorkspaceList<EndpointWithHealth>("webhook_endpoints");
  if (endpoints.data === undefined) return <NotLoaded query={endpoints} what="whether webhooks are being delivered" />;
  return <FailingEndpoints endpoints={endpoints.data.pages.flatMap(({ data }) => data)} />;
}

function SpanSwitch({ days }: { days: string }) {
  return (
    <nav aria-label="Date range">
      <Button.Group>
        {spans.map((span) => (
          <Button
            key={span}
            component={Link}
            href={`?days=${span}`}
            size="xs"
            variant={span === days ? "filled" : "default"}
            aria-current={span === days ? "true" : undefined}
          >
            {span} days
          </Button>
        ))}
      </Button.Group>
    </nav>
  );
}

function Figures({ overview }: { overview: OverviewResponse }) {
  const { href } = useWorkspace();
  const { from, currencies, declines, risk_refused, three_d_secure_failed } = overview;
  // The period includes today, so it has no end.
  const start = String(Date.parse(`${from}T00:00:00Z`) / 1000);
  return (
    <Stack gap="lg">
      {currencies.map((currency) => (
        <OfCurrency key={currency.currency} currency={currency} />
      ))}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title="Decline reasons">
          {declines.length > 0 && (
            <Suspense fallback={<Skeleton height={200} />}>
              <DeclineChart declines={declines} />
            </Suspense>
          )}
          <RecordTable
            label="Decline reasons"
            items={declines}
            rowKey={({ decline_code }) => decline_code}
            empty="No declined payments."
            columns={[
              {
                name: "Reason",
                cell: ({ decline_code }) => (
                  <RouteLink to={`${href("payments")}?${new URLSearchParams({ decline_code, from: start })}`}>
                    {sentence(decline_code)}
                  </RouteLink>
                ),
              },
              { name: "Payments", isAmount: true, cell: ({ count }) => count.toLocaleString("en") },
            ]}
          />
        </Section>
        <Section title="Blocked before authorization">
          <Group grow>
            <Figure name="Blocked by risk rules" value={risk_refused.toLocaleString("en")} />
            <Figure name="3-D Secure failed" value={three_d_secure_failed.toLocaleString("en")} />
          </Group>
        </Section>
      </SimpleGrid>
    </Stack>
  );
}

function OfCurrency({ currency }: { currency: CurrencyOverview }) {
  const { currency: code, captured, refunded, payments, approved, failed, success_rate } = currency;
  return (
    <Section title={code.toUpperCase()}>
      <Stack>
        <SimpleGrid cols={{ base: 2, md: 4 }}>
          <Figure name="Gross volume" value={money(captured, code)} />
          <Figure name="Refunded" value={money(refunded, code)} />
          <Figure name="Payments" value={payments.toLocaleString("en")} />
          <Figure
            name="Success rate"
            value={percent(success_rate)}
            more={`${approved.toLocaleString("en")} of ${(approved + failed).toLocaleString("en")} approved`}
          />
        </SimpleGrid>
        <Suspense fallback={<Skeleton height={490} />}>
          <DayCharts currency={currency} />
        </Suspense>
      </Stack>
    </Section>
  );
}

function Figure({ name, value, more }: { name: string; value: string; more?: string }) {
  return (
    <Paper>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="xl" fw={650} className="break-anywhere" style={{ fontVariantNumeric: "tabular-nums" }}>
        {value}
      </Text>
      {more !== undefined && (
        <Text size="xs" c="dimmed">
          {more}
        </Text>
      )}
    </Paper>
  );
}
