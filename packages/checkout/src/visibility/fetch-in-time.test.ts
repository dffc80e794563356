import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fetchInTime } from "./fetch-in-time.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("gives what came, and leaves no timer behind", async () => {
  await expect(fetchInTime(async () => "code")).resolves.toBe("code");
  expect(vi.getTimerCount()).toBe(0);
});

it("gives nothing for code that cannot be fetched", async () => {
  const load = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));
  await expect(fetchInTime(load)).resolves.toBeNull();
});

it("waits no longer than a customer would", async () => {
  const fetching = fetchInTime(() => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(20_000);
  await expect(fetching).resolves.toBeNull();
});
