import { expect, it } from "vitest";
import { isBeingCalled } from "./attempt-state.ts";

const now = new Date("2026-06-01T12:00:00Z");
const [past, future] = [-1_000, 1_000].map((ms) => new Date(now.getTime() + ms)) as [Date, Date]; // two of two
const calling = { status: "processing", next_call_at: past, claimed_until: future } as const;

it("is being called while a process makes a call that was due", () => {
  expect(isBeingCalled(calling, now)).toBe(true);
});

it.each([
  ["the process has died, so that its claim has run out", { claimed_until: past }],
  ["the acquirer has accepted it", { claimed_until: null }],
  ["the call didn't bring the outcome, or is for a reader", { next_call_at: future }],
  ["it has ended", { status: "declined" as const }],
])("isn't being called if %s", (_name, change) => {
  expect(isBeingCalled({ ...calling, ...change }, now)).toBe(false);
});
