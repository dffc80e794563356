/** A chart of decline reasons. It's hidden from screen readers, which read the table below it. */
import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import type { Overview } from "@oriel/protocol/dashboard/payments";
import { sentence } from "./payment-labels.tsx";

export function DeclineChart({ declines }: Pick<Overview, "declines">) {
  return (
    <BarChart
      aria-hidden
      mb="md"
      h={40 + 32 * declines.length}
      data={declines.map(({ decline_code, count }) => ({ reason: sentence(decline_code), Payments: count }))}
      dataKey="reason"
      orientation="vertical"
      gridAxis="y"
      tickLine="none"
      maxBarWidth={18}
      series={[{ name: "Payments", color: "red.6" }]}
      valueFormatter={(value) => value.toLocaleString("en")}
      xAxisProps={{ allowDecimals: false }}
      // Labels every bar, and wraps long labels so that they fit. The other tick properties are the chart's defaults.
      yAxisProps={{
        width: 170,
        interval: 0,
        tick: { transform: "translate(-10, 0)", fontSize: 12, fill: "currentColor", width: 150 },
      }}
      barChartProps={{ accessibilityLayer: false }}
    />
  );
}
