/** Charts of measurements as SVG, readable on light and dark pages. */
import { writeFileSync } from "node:fs";

export interface Axis {
  name: string;
  ticks: readonly { label: string; value: number }[];
}

export interface Plot {
  title: string;
  /** On a logarithmic scale, because the ticks are far apart. */
  x: Axis;
  /** From zero to the largest value. Each tick's label includes the unit. */
  y: { name: string; unit: string };
  /** A dashed horizontal line. */
  limit?: number;
  lines: readonly { name: string; points: readonly [x: number, y: number][] }[];
}

const width = 900;
const rowHeight = 18;
const area = { left: 70, top: 50, right: 620, bottom: 430 };
/**
 * Okabe and Ito's palette, whose colors color-blind readers can tell apart. Different marks distinguish lines of the
 * same color.
 */
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"];
const dashes = ["", "7 3", "2 3"];

export function drawLines({ title, x, y, limit, lines }: Plot): string {
  const scale = (value: number, [from, to]: readonly [number, number], [start, end]: readonly [number, number]) =>
    start + ((value - from) / (to - from)) * (end - start);
  const largest = Math.max(limit ?? 0, ...lines.flatMap(({ points }) => points.map(([, value]) => value)));
  const ticks = ticksUpTo(largest);
  const ends = (marks: Axis["ticks"], of: (value: number) => number) =>
    [of(marks[0]?.value ?? 0), of(marks.at(-1)?.value ?? 1)] as const;
  const across = (value: number) =>
    rounded(scale(Math.log10(value), ends(x.ticks, Math.log10), [area.left, area.right]));
  const up = (value: number) => rounded(scale(value, [0, ticks.at(-1) ?? 1], [area.bottom, area.top]));
  const height = Math.max(area.bottom + 60, area.top + lines.length * rowHeight + 20);

  const parts = [
    `<text x="${area.left}" y="28" font-size="18" font-weight="600">${escaped(title)}</text>`,
    ...ticks.map((value) => [
      `<line x1="${area.left}" x2="${area.right}" y1="${up(value)}" y2="${up(value)}" stroke="#8886"/>`,
      `<text x="${area.left - 8}" y="${up(value) + 4}" text-anchor="end">${escaped(`${value} ${y.unit}`.trim())}</text>`,
    ]),
    `<text transform="translate(12 ${(area.top + area.bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(y.name)}</text>`,
    ...x.ticks.map(
      ({ label, value }) =>
        `<text x="${across(value)}" y="${area.bottom + 20}" text-anchor="middle">${escaped(label)}</text>`,
    ),
    `<text x="${(area.left + area.right) / 2}" y="${area.bottom + 44}" text-anchor="middle">${escaped(x.name)}</text>`,
    ...(limit === undefined
      ? []
      : [
          `<line x1="${area.left}" x2="${area.right}" y1="${up(limit)}" y2="${up(limit)}" stroke="#c00" stroke-dasharray="4 4"/>`,
          `<text x="${area.right - 4}" y="${up(limit) - 6}" text-anchor="end" style="fill:#c00">budget</text>`,
        ]),
    ...lines.map(({ name, points }, n) => {
      const style = `stroke="${colours[n % colours.length]}" stroke-width="2" stroke-dasharray="${dashes[Math.floor(n / colours.length) % dashes.length]}"`;
      const row = area.top + n * rowHeight;
      return [
        `<polyline fill="none" ${style} points="${points.map(([at, value]) => `${across(at)},${up(value)}`).join(" ")}"/>`,
        `<line x1="${area.right + 20}" x2="${area.right + 50}" y1="${row}" y2="${row}" ${style}/>`,
        `<text x="${area.right + 58}" y="${row + 4}">${escaped(name)}</text>`,
      ];
    }),
  ].flat();
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">
<style>text { fill: #222 } @media (prefers-color-scheme: dark) { text { fill: #ddd } }</style>
${parts.join("\n")}
</svg>
`;
}

export function writePlot(path: string, svg: string): void {
  writeFileSync(path, svg);
  console.log(`Drew ${path}`);
}

/** Up to ten round numbers, the last one at or above the largest value. */
function ticksUpTo(largest: number): number[] {
  const ten = 10 ** Math.floor(Math.log10(largest));
  const step = [ten / 5, ten / 2, ten].find((one) => largest / one <= 8) ?? ten;
  return Array.from({ length: Math.ceil(largest / step) + 1 }, (_, n) => Math.round(n * step * 100) / 100);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
