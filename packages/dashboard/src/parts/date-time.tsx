/** A time (Unix seconds) in the browser's time zone: short as text, and in full as a tooltip. */
const short = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const whole = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" });

export function DateTime({ at }: { at: number | null }) {
  if (at === null) return <span>-</span>;
  const date = new Date(at * 1000);
  return (
    <time dateTime={date.toISOString()} title={whole.format(date)}>
      {short.format(date)}
    </time>
  );
}
