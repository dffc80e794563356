/**
 * Tells the content's height whenever it changes, in whole CSS pixels, so that the host page's frame needs no
 * scrollbar. A lower height waits for the next report (`report-interval.ts`), because it may be the key that corrected
 * a field. The content's height must never depend on the frame's, or the two would chase each other; while it does,
 * `isHeld` says so and nothing is told.
 *
 * @returns looks at once, for when `isHeld` is over
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
