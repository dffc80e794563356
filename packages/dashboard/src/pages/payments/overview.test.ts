import { describe, expect, it, vi } from "vitest";
import type { CardTestingReport } from "@oriel/protocol/api";
import type { Overview as OverviewResponse } from "@oriel/protocol/dashboard/payments";
import { showPage } from "../../testing/show-page.ts";
import { Overview } from "./overview.tsx";

vi.mock("./day-charts.tsx", () => ({ DayCharts: () => null }));
vi.mock("./decline-chart.tsx", () => ({ DeclineChart: () => null }));

const overview: OverviewResponse = {
  days: 7,
  from: "2026-11-23",
  to: "2026-11-29",
  currencies: [
    { currency: "eur", captured: 0, refunded: 0, payments: 3, approved: 0, failed: 3, success_rate: 0, series: [] },
  ],
  declines: [{ decline_code: "insufficient_funds", count: 3 }],
  risk_refused: 0,
  three_d_secure_failed: 0,
};
const startOfNov23 = 1_795_392_000;
const report: CardTestingReport = {
  id: "ctr_1",
  object: "card_testing_report",
  livemode: false,
  created: 1_795_500_000,
  started_at: 1_795_500_000,
  ended_at: 1_795_503_600,
  attempts: 900,
  blocked: 800,
  declined: 90,
  approved: 10,
};

/** @returns where the link leads, without the account */
async function linkOf(name: string): Promise<string | undefined> {
  vi.stubGlobal("fetch", async (path: string) => {
    if (path.includes("/overview?")) return Response.json(overview);
    if (path.endsWith("/card-testing")) return Response.json({ report });
    return Response.json({ data: [], has_more: false, attention: 0, disputes: 0 });
  });
  showPage(Overview, { path: "overview" });
  const find = () => [...document.querySelectorAll("a")].find(({ textContent }) => textContent === name);
  await vi.waitFor(() => expect(find()).toBeDefined());
  return find()?.getAttribute("href")?.replace("/acct_1/test/", "");
}

describe("the links of the overview", () => {
  it("lead from a decline reason to its payments in the period", async () => {
    expect(await linkOf("Insufficient funds")).toBe(`payments?decline_code=insufficient_funds&from=${startOfNov23}`);
  });

  it("lead from a report of card testing to the payments of that time", async () => {
    expect(await linkOf("View payments")).toBe("payments?from=1795500000&to=1795503601");
  });
});

describe("the alerts of the overview", () => {
  it("say what couldn't be loaded, next to the figures", async () => {
    vi.stubGlobal("fetch", async (path: string) =>
      path.includes("/overview?")
        ? Response.json(overview)
        : Response.json({ error: { code: "permission_missing", message: "No." } }, { status: 403 }),
    );
    showPage(Overview, { path: "overview" });
    const missing = () => [...document.querySelectorAll("[role=alert]")].map(({ textContent }) => textContent);
    await vi.waitFor(() => expect(missing()).toHaveLength(3));
    expect(missing()).toEqual([
      "Couldn't load whether disputes or payments need your attention.Try again",
      "Couldn't load whether someone tested stolen cards.Try again",
      "Couldn't load whether webhooks are being delivered.Try again",
    ]);
    expect(document.body.textContent).toContain("Success rate");
  });
});
