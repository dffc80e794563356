/**
 * The initial page of the embed's tests: empty, with iframes that load nothing, and a console that records messages
 * instead of printing them.
 */
import { vi } from "vitest";

/** Call it before each test. */
export function emptyPage(): void {
  const { happyDOM } = window as unknown as { happyDOM: { settings: { disableIframePageLoading: boolean } } }; // happy-dom's own settings
  happyDOM.settings.disableIframePageLoading = true;
  vi.spyOn(console, "error").mockImplementation(() => {});
  document.body.replaceChildren();
}

/** The same with one container. @returns the container */
export function pageWithContainer(): HTMLElement {
  emptyPage();
  const container = document.createElement("div");
  container.id = "checkout";
  document.body.append(container);
  return container;
}

/** Our messages in the console. */
export function complaints(): string[] {
  return vi
    .mocked(console.error)
    .mock.calls.map(([first]) => String(first))
    .filter((text) => text.includes("Oriel:"));
}

/** Waits until iframes without holders are removed, one task later. */
export const task = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
