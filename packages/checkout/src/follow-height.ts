/**
 * Tells the content's height whenever it changes, in whole CSS pixels, so that the host page's frame needs no scrollbar.
 * The content's height must never depend on the frame's, or the two would chase each other.
 */
export function followHeight(content: HTMLElement, tell: (height: number) => void): void {
  let told = 0;
  const measure = () => {
    const height = Math.ceil(content.getBoundingClientRect().height);
    if (height === told || height === 0) return;
    told = height;
    tell(height);
  };
  new ResizeObserver(measure).observe(content);
  measure();
}
