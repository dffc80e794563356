/** Checks the files that refer to metrics by name: the Grafana dashboard, the alert rules and the documentation. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { collectProcessMetrics, createMetrics } from "./metrics.ts";

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
const alerts = read("deploy/prometheus/alerts.yaml");
const dashboard = JSON.parse(read("deploy/grafana/oriel.json")) as { panels: { targets?: { expr: string }[] }[] }; // ours
const documentation = read("docs/operate.md");

/** What Prometheus knows, by name. A histogram has three. */
let known: Set<string>;
/** Our own metrics, without Node's. */
let ours: string[];
beforeAll(async () => {
  const { registry } = createMetrics({ role: "all" });
  ours = registry.getMetricsAsArray().map(({ name }) => name);
  collectProcessMetrics(registry);
  known = new Set(
    (await registry.getMetricsAsJSON()).flatMap(({ name, type }) =>
      String(type) === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => name + suffix) : [name],
    ),
  );
});

function metricsIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\b(?:oriel|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name))];
}

describe("the Grafana dashboard", () => {
  const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

  it("uses only metrics that exist", () => {
    const used = metricsIn(expressions.join("\n"));
    expect(used.length).toBeGreaterThan(15);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });

  it("shows every metric of Oriel", () => {
    const used = metricsIn(expressions.join("\n"));
    const shown = used.map((name) => name.replace(/_(bucket|sum|count)$/, ""));
    expect(ours.filter((name) => !shown.includes(name))).toEqual([]);
  });
});

describe("the alert rules", () => {
  const rules = alerts.split(/^ {6}- alert: /m).slice(1);

  it("use only metrics that exist", () => {
    const used = metricsIn(alerts);
    expect(used.length).toBeGreaterThan(8);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });

  it("say what happened and what to do", () => {
    expect(rules.length).toBeGreaterThan(10);
    const silent = rules.filter((rule) => !/^ +summary: ".+"/m.test(rule) || !/^ +action: >-\n +\S/m.test(rule));
    expect(silent).toEqual([]);
  });
});

describe("docs/operate.md", () => {
  it("describes every metric of Oriel, and no other", () => {
    const described = metricsIn(documentation).filter((name) => name.startsWith("oriel_"));
    expect(described.filter((name) => !ours.includes(name))).toEqual([]);
    expect(ours.filter((name) => !described.includes(name))).toEqual([]);
  });
});
