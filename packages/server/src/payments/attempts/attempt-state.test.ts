import { expect, it } from "vitest";
import { isBeingAsked } from "./attempt-state.ts";

const now = new Date("2026-06-01T12:00:00Z");
const [past, future] = [-1_000, 1_000].map((ms) => new Date(now.getTime() + ms)) as [Date, Date]; // two of two
const asked = { status: "processing", next_ask_at: past, asking_until: future } as const;

it("is being asked while a process makes a call that was due", () => {
  expect(isBeingAsked(asked, now)).toBe(true);
});

it.each([
  ["the process has died, so that its claim has run out", { asking_until: past }],
  ["the acquirer has accepted it", { asking_until: null }],
  ["the call didn't bring the outcome, or is for a reader", { next_ask_at: future }],
  ["it has ended", { status: "declined" as const }],
])("isn't being asked if %s", (_name, change) => {
  expect(isBeingAsked({ ...asked, ...change }, now)).toBe(false);
});
