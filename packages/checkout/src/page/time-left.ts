/**
 * The session's last minute: the line below Pay counts it down, so that nothing moves for it, and who does not see the
 * line is told once. What the service makes of the session's end is not decided here.
 */
import type { Page } from "./page.ts";
import { fill } from "../texts/fill.ts";

export function showTimeLeft({ find, live, words }: Page, endsAtMs: number, now: () => number): void {
  const line = find("encrypted");
  const secondsLeft = () => Math.ceil((endsAtMs - now()) / 1000);
  const say = () => {
    if (secondsLeft() <= 0) clearInterval(timer);
    words.write("time left", ({ after, encrypted, locale }) => {
      const time = new Intl.NumberFormat(locale, { style: "unit", unit: "second", unitDisplay: "long" });
      line.textContent = secondsLeft() > 0 ? fill(after.expiring, { time: time.format(secondsLeft()) }) : encrypted;
    });
  };
  const timer = setInterval(say, 1000);
  say();
  live.textContent = line.textContent;
}
