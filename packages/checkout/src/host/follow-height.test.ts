import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { followHeight } from "./follow-height.ts";

let height: number;
let isHeld: boolean;
let observed: () => void;
const tell = vi.fn<(height: number) => void>();
const now = () => Date.now();
const content = document.createElement("main");

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2027, 5, 15) + 130 });
  tell.mockClear();
  isHeld = false;
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
  it("is told at once, rounded up, and again only when it is another", () => {
    followHeight(content, () => isHeld, tell, now);
    observed();
    height = 420;
    observed();
    expect(tell.mock.calls).toEqual([[301], [420]]);
  });

  it("is not told while it is the window's, and is looked at again afterwards", () => {
    const look = followHeight(content, () => isHeld, tell, now);
    isHeld = true;
    height = 640;
    observed();
    isHeld = false;
    height = 350;
    look();
    look();
    expect(tell.mock.calls).toEqual([[301], [350]]);
  });

  it("is told as lower at the next report, and as it is then: the key that corrected a field cannot be timed", () => {
    followHeight(content, () => isHeld, tell, now);
    for (const lower of [290, 280]) {
      height = lower;
      observed();
    }
    vi.advanceTimersByTime(369);
    expect(tell.mock.calls).toEqual([[301]]);
    height = 270;
    vi.advanceTimersByTime(1);
    expect(tell.mock.calls).toEqual([[301], [270]]);
    vi.advanceTimersByTime(5_000);
    expect(tell).toHaveBeenCalledTimes(2);
  });

  it("that was lower for a moment only is not told", () => {
    followHeight(content, () => isHeld, tell, now);
    for (const between of [250, 300.2]) {
      height = between;
      observed();
    }
    vi.advanceTimersByTime(500);
    expect(tell.mock.calls).toEqual([[301]]);
  });

  it("is not told as lower while it is the window's", () => {
    const look = followHeight(content, () => isHeld, tell, now);
    height = 250;
    observed();
    isHeld = true;
    vi.advanceTimersByTime(500);
    expect(tell.mock.calls).toEqual([[301]]);
    isHeld = false;
    look();
    vi.advanceTimersByTime(500);
    expect(tell.mock.calls).toEqual([[301], [250]]);
  });

  it("of a page that is not laid out is not told", () => {
    height = 0;
    followHeight(content, () => isHeld, tell, now);
    expect(tell).not.toHaveBeenCalled();
    height = 300.2;
    observed();
    expect(tell.mock.calls).toEqual([[301]]);
  });
});
