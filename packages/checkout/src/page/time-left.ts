/**
 * Counts down the session's last minute in the line below Pay, so that nothing moves, and announces it once to screen
 * readers. The service decides what happens when the session ends.
 */
import { fill } from "../texts/fill.ts";
import type { Page } from "./page.ts";

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
