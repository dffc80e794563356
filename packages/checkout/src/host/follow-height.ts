/**
 * Reports the content's height to the host page whenever it changes, in whole CSS pixels, so that the iframe needs no
 * scrollbar. A lower height waits for the next report (`report-interval.ts`), because it could reveal when the customer
 * pressed the key that corrected a field. So does a greater height while the customer is in a field, because the digit
 * that shows a choice between two networks makes the form higher. The content's height must not depend on the iframe's,
 * or each would keep changing the other. While it does depend on it, `isHeld` returns true and nothing is reported.
 *
 * @param isTyping whether the customer is in a field of the form
 * @returns a function that measures at once; call it when `isHeld` becomes false
 */
import { atNextReport } from "./report-interval.ts";

export function followHeight(
  content: HTMLElement,
  isHeld: () => boolean,
  isTyping: () => boolean,
  report: (height: number) => void,
  now: () => number,
): () => void {
  let reported = 0;
  const check = (isDue: boolean) => {
    if (isHeld()) return;
    const height = Math.ceil(content.getBoundingClientRect().height);
    if (height === reported || height === 0) return;
    if (!isDue && reported > 0 && (height < reported || isTyping())) return atNextReport(now, () => check(true));
    reported = height;
    report(height);
  };
  const measure = () => check(false);
  new ResizeObserver(measure).observe(content);
  measure();
  return measure;
}
