/**
 * A time (Unix seconds) in the browser's time zone: short as text. The tooltip has seconds and the zone, and the time
 * in UTC, as in server logs.
 */
const short = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const whole = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" });

export function DateTime({ at }: { at: number | null }) {
  if (at === null) return <span>-</span>;
  const date = new Date(at * 1000);
  return (
    <time dateTime={date.toISOString()} title={`${whole.format(date)}\n${inUtc(date)}`}>
      {short.format(date)}
    </time>
  );
}

/** @example "2026-11-22 13:03:05 UTC" */
function inUtc(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
