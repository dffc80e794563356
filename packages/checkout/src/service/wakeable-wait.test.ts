import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createWakeableWait, wakeOnReturn } from "./wakeable-wait.ts";

const wait = createWakeableWait();
wakeOnReturn(wait, window);
const ended = vi.fn<() => void>();

beforeEach(() => {
  vi.useFakeTimers();
  ended.mockReset();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const returns: Record<string, () => void> = {
  "the tab is shown": () => document.dispatchEvent(new Event("visibilitychange")),
  "the page returns from the back/forward cache": () => window.dispatchEvent(new Event("pageshow")),
  "the network is back": () => window.dispatchEvent(new Event("online")),
};

it.each(Object.entries(returns))("every wait ends when %s", async (_what, bringBack) => {
  for (const ms of [1_000, 8_000]) void wait.for(ms).then(ended);
  await vi.advanceTimersByTimeAsync(999);
  expect(ended).not.toHaveBeenCalled();
  bringBack();
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toHaveBeenCalledTimes(2);
});

it("a wait continues when the tab is hidden, and ends after its time", async () => {
  void wait.for(1_000).then(ended);
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  document.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(999);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toHaveBeenCalledOnce();
});
