/** How much time is left until a deadline, in whole days, or in hours on the last day. */

const hour = 60 * 60;
const day = 24 * hour;

/**
 * @param deadline and `now` in Unix seconds
 * @returns null if the deadline has passed
 * @example timeLeft(deadline, now) // "5 days left"
 */
export function timeLeft(deadline: number, now: number): string | null {
  const left = deadline - now;
  if (left <= 0) return null;
  if (left >= day) return counted(Math.floor(left / day), "day");
  if (left >= hour) return counted(Math.floor(left / hour), "hour");
  return "less than an hour left";
}

function counted(count: number, unit: string): string {
  return count === 1 ? `1 ${unit} left` : `${count} ${unit}s left`;
}
