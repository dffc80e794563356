import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { followHeight } from "./follow-height.ts";

let height: number;
let isHeld: boolean;
let observed: () => void;
const report = vi.fn<(height: number) => void>();
const now = () => Date.now();
const content = document.createElement("main");
let isTyping: boolean;
const follow = () =>
  followHeight(
    content,
    () => isHeld,
    () => isTyping,
    report,
    now,
  );

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2027, 5, 15) + 130 });
  report.mockClear();
  isHeld = isTyping = false;
  height = 300.2;
  vi.spyOn(content, "getBoundingClientRect").mockImplementation(() => new DOMRect(0, 0, 400, height));
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(callback: () => void) {
        observed = callback;
      }
      observe() {}
    },
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the height of the content", () => {
  it("is reported at once, rounded up, and again only when it changes", () => {
    follow();
    observed();
    height = 420;
    observed();
    expect(report.mock.calls).toEqual([[301], [420]]);
  });

  it("isn't reported while it is the window's height, and is measured again afterwards", () => {
    const measure = follow();
    isHeld = true;
    height = 640;
    observed();
    isHeld = false;
    height = 350;
    measure();
    measure();
    expect(report.mock.calls).toEqual([[301], [350]]);
  });

  it("is measured and reported at the next report if it is lower, so that the key that corrected a field can't be timed", () => {
    follow();
    for (const lower of [290, 280]) {
      height = lower;
      observed();
    }
    vi.advanceTimersByTime(369);
    expect(report.mock.calls).toEqual([[301]]);
    height = 270;
    vi.advanceTimersByTime(1);
    expect(report.mock.calls).toEqual([[301], [270]]);
    vi.advanceTimersByTime(5_000);
    expect(report).toHaveBeenCalledTimes(2);
  });

  it("is reported at the next report while the customer is in a field, so that no key can be timed", () => {
    isTyping = true;
    follow();
    expect(report.mock.calls).toEqual([[301]]);
    height = 330;
    observed();
    vi.advanceTimersByTime(369);
    expect(report).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(1);
    expect(report.mock.calls).toEqual([[301], [330]]);
  });

  it("isn't reported if it was lower only for a moment", () => {
    follow();
    for (const between of [250, 300.2]) {
      height = between;
      observed();
    }
    vi.advanceTimersByTime(500);
    expect(report.mock.calls).toEqual([[301]]);
  });

  it("isn't reported as lower while it is the window's height", () => {
    const measure = follow();
    height = 250;
    observed();
    isHeld = true;
    vi.advanceTimersByTime(500);
    expect(report.mock.calls).toEqual([[301]]);
    isHeld = false;
    measure();
    vi.advanceTimersByTime(500);
    expect(report.mock.calls).toEqual([[301], [250]]);
  });

  it("isn't reported for a page that has no layout yet", () => {
    height = 0;
    follow();
    expect(report).not.toHaveBeenCalled();
    height = 300.2;
    observed();
    expect(report.mock.calls).toEqual([[301]]);
  });
});
