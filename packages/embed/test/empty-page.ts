/**
 * The page that tests of the embed begin with: empty, with frames that load nothing, and a console that is listened to
 * instead of written to.
 */
import { vi } from "vitest";

/** Call it before each test. */
export function emptyPage(): void {
  const { happyDOM } = window as unknown as { happyDOM: { settings: { disableIframePageLoading: boolean } } }; // happy-dom's own switches
  happyDOM.settings.disableIframePageLoading = true;
  vi.spyOn(console, "error").mockImplementation(() => {});
  document.body.replaceChildren();
}

/** The same with one container in it, which is the answer. */
export function pageWithContainer(): HTMLElement {
  emptyPage();
  const container = document.createElement("div");
  container.id = "checkout";
  document.body.append(container);
  return container;
}

/** What the console was told by us. */
export function complaints(): string[] {
  return vi
    .mocked(console.error)
    .mock.calls.map(([first]) => String(first))
    .filter((text) => text.includes("Oriel:"));
}

/** One task later: when what nobody holds any more has gone. */
export const task = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
