/**
 * Reports the content's height to the host page whenever it changes, in whole CSS pixels, so that the iframe needs no
 * scrollbar. A lower height waits for the next report (`report-interval.ts`), because it could reveal when the customer
 * pressed the key that corrected a field. The content's height must not depend on the iframe's, or each would keep
 * changing the other. While it does depend on it, `isHeld` returns true and nothing is reported.
 *
 * @returns a function that measures at once; call it when `isHeld` becomes false
 */
import { atNextReport } from "./report-interval.ts";

export function followHeight(
  content: HTMLElement,
  isHeld: () => boolean,
  tell: (height: number) => void,
  now: () => number,
): () => void {
  let told = 0;
  const look = (mayBeLower: boolean) => {
    if (isHeld()) return;
    const height = Math.ceil(content.getBoundingClientRect().height);
    if (height === told || height === 0) return;
    if (height < told && !mayBeLower) return atNextReport(now, () => look(true));
    told = height;
    tell(height);
  };
  const measure = () => look(false);
  new ResizeObserver(measure).observe(content);
  measure();
  return measure;
}
