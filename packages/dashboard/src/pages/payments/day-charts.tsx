/** Daily figures of one currency as charts, and as a table for screen readers and exact values. */
import "@mantine/charts/styles.css";
import { BarChart, LineChart } from "@mantine/charts";
import { Box, Button, Collapse, SimpleGrid, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useId } from "react";
import { currencyExponent } from "@oriel/protocol/currency";
import type { CurrencyOverview, DayOverview } from "@oriel/protocol/dashboard/payments";
import { money } from "../../parts/money.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { percent } from "./payment-labels.tsx";

const dayName = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });

export function DayCharts({ currency: { currency, series } }: { currency: CurrencyOverview }) {
  const [isTable, { toggle }] = useDisclosure(false);
  const tableId = useId();
  // Floats are precise enough for drawing.
  const scale = 10 ** currencyExponent(currency);
  const days = series.map((day) => ({
    day: nameOf(day.date),
    "Gross volume": day.captured / scale,
    Refunded: day.refunded / scale,
    Approved: day.approved,
    Failed: day.failed,
    "Success rate": successRate(day),
  }));
  const short = new Intl.NumberFormat("en", { notation: "compact" });
  return (
    <Box>
      <Stack aria-hidden>
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <div>
            <Text size="sm" fw={600} mb="xs">
              Gross volume and refunds
            </Text>
            <BarChart
              h={220}
              data={days}
              dataKey="day"
              withLegend
              series={[
                { name: "Gross volume", color: "indigo.6" },
                { name: "Refunded", color: "orange.6" },
              ]}
              valueFormatter={(value) => money(Math.round(value * scale), currency)}
              yAxisProps={{ tickFormatter: (value: number) => short.format(value), width: 48 }}
              barChartProps={{ accessibilityLayer: false }}
            />
          </div>
          <div>
            <Text size="sm" fw={600} mb="xs">
              Payments
            </Text>
            <BarChart
              h={220}
              data={days}
              dataKey="day"
              type="stacked"
              withLegend
              series={[
                { name: "Approved", color: "teal.6" },
                { name: "Failed", color: "red.6" },
              ]}
              yAxisProps={{ allowDecimals: false, width: 40 }}
              barChartProps={{ accessibilityLayer: false }}
            />
          </div>
        </SimpleGrid>
        <div>
          <Text size="sm" fw={600} mb="xs">
            Success rate
          </Text>
          <LineChart
            h={160}
            data={days}
            dataKey="day"
            series={[{ name: "Success rate", color: "indigo.6" }]}
            curveType="linear"
            connectNulls={false} // days without a value leave a gap
            valueFormatter={percent}
            yAxisProps={{ domain: [0, 1], ticks: [0, 0.5, 1], width: 48 }}
            lineChartProps={{ accessibilityLayer: false }}
          />
        </div>
      </Stack>
      <Button
        variant="default"
        size="compact-sm"
        mt="xs"
        onClick={toggle}
        aria-expanded={isTable}
        aria-controls={tableId}
      >
        {isTable ? "Hide table" : "Show table"}
      </Button>
      <Collapse expanded={isTable} id={tableId}>
        <DayTable series={series} currency={currency} />
      </Collapse>
    </Box>
  );
}

function DayTable({ series, currency }: { series: readonly DayOverview[]; currency: string }) {
  return (
    <RecordTable
      label={`Daily totals in ${currency.toUpperCase()}`}
      items={series.toReversed()}
      rowKey={({ date }) => date}
      empty="No data."
      columns={[
        { name: "Day", cell: ({ date }) => <time dateTime={date}>{nameOf(date)}</time> },
        { name: "Gross volume", isAmount: true, cell: ({ captured }) => money(captured, currency) },
        { name: "Refunded", isAmount: true, cell: ({ refunded }) => money(refunded, currency) },
        { name: "Payments", isAmount: true, cell: ({ payments }) => payments },
        { name: "Approved", isAmount: true, cell: ({ approved }) => approved },
        { name: "Failed", isAmount: true, cell: ({ failed }) => failed },
        { name: "Success rate", isAmount: true, cell: (day) => percent(successRate(day)) },
      ]}
    />
  );
}

function successRate({ approved, failed }: DayOverview): number | null {
  return approved + failed === 0 ? null : approved / (approved + failed);
}

function nameOf(date: string): string {
  return dayName.format(new Date(`${date}T00:00:00Z`));
}
