import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isElementVisible, watchSeen } from "./is-visible.ts";

interface Seen {
  intersectionRatio: number;
  isVisible?: boolean;
}

/** A fake observer that reports what the test tells it to. */
class FakeObserver {
  static last: FakeObserver;
  readonly report: (entries: Seen[]) => void;
  readonly options: Record<string, unknown>;
  readonly trackVisibility: boolean | undefined;
  observed: Element | null = null;
  readonly before: FakeObserver | undefined;
  /** The observer that was still observing when this one began. */
  replaced: FakeObserver | undefined;
  constructor(report: (entries: Seen[]) => void, options: Record<string, unknown>) {
    this.report = report;
    this.options = options;
    this.trackVisibility = FakeObserver.version === 2 ? options["trackVisibility"] === true : undefined;
    this.before = FakeObserver.last;
    FakeObserver.last = this;
  }
  static version = 2;
  observe(element: Element) {
    this.observed = element;
    if (this.before?.observed === element) this.replaced = this.before;
  }
  disconnect() {
    this.observed = null;
  }
}

const button = document.createElement("button");
// Only two methods and a callback of an observer are used.
const check = () => isElementVisible(button, FakeObserver as unknown as typeof IntersectionObserver);

beforeEach(() => {
  vi.useFakeTimers();
  FakeObserver.version = 2;
});
afterEach(() => vi.useRealTimers());

describe("element visibility", () => {
  it("is observed from the call until it is reported", async () => {
    const seen = check();
    const observer = FakeObserver.last;
    expect(observer.observed).toBe(button);
    expect(observer.options).toMatchObject({ trackVisibility: true, delay: 100 });
    observer.report([{ intersectionRatio: 1, isVisible: true }]);
    await expect(seen).resolves.toBe(true);
    expect(observer.observed).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each<[string, Seen]>([
    ["is covered, or transparent", { intersectionRatio: 1, isVisible: false }],
    ["is cut off", { intersectionRatio: 0.98, isVisible: true }],
    ["isn't in view", { intersectionRatio: 0, isVisible: false }],
  ])("is false after 300 ms if the element %s", async (_what, entry) => {
    const seen = check();
    const observer = FakeObserver.last;
    observer.report([entry]);
    await vi.advanceTimersByTimeAsync(300);
    await expect(seen).resolves.toBe(false);
    expect(observer.observed).toBeNull();
  });

  it("may be reported late, because the signal lags behind the screen", async () => {
    const seen = check();
    FakeObserver.last.report([{ intersectionRatio: 1, isVisible: false }]);
    await vi.advanceTimersByTimeAsync(299);
    FakeObserver.last.report([{ intersectionRatio: 0.995, isVisible: true }]);
    await expect(seen).resolves.toBe(true);
  });

  it("is false if nothing is reported, because an iframe that is never drawn has no observations", async () => {
    const seen = check();
    await vi.advanceTimersByTimeAsync(300);
    await expect(seen).resolves.toBe(false);
  });

  it("is reported after each change, separately from the bounds, until it is stopped", () => {
    const reports: [boolean, boolean][] = [];
    // The fake implements only what is used.
    const Observer = FakeObserver as unknown as typeof IntersectionObserver;
    const stop = watchSeen(button, (...report) => void reports.push(report), true, Observer);
    const observer = FakeObserver.last;
    observer.report([
      { intersectionRatio: 1, isVisible: true },
      { intersectionRatio: 1, isVisible: false },
    ]);
    observer.report([{ intersectionRatio: 0.5, isVisible: true }]);
    expect(reports).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
    stop();
    expect(observer.observed).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is observed at irregular moments too, without a pause in tracking", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValueOnce(0.2).mockReturnValueOnce(0.9);
    const report = vi.fn<(seen: boolean) => void>();
    // The fake implements only what is used.
    const stop = watchSeen(button, report, true, FakeObserver as unknown as typeof IntersectionObserver);
    const first = FakeObserver.last;
    first.report([{ intersectionRatio: 1, isVisible: true }]);
    await vi.advanceTimersByTimeAsync(29);
    expect(FakeObserver.last).toBe(first);
    await vi.advanceTimersByTimeAsync(1);
    const second = FakeObserver.last;
    expect(second).not.toBe(first);
    expect([first.observed, second.observed, second.replaced]).toEqual([null, button, first]);
    second.report([{ intersectionRatio: 1, isVisible: false }]);
    expect(report.mock.calls).toEqual([
      [true, true],
      [false, true],
    ]);
    await vi.advanceTimersByTimeAsync(134);
    expect(FakeObserver.last).toBe(second);
    await vi.advanceTimersByTimeAsync(1);
    expect(FakeObserver.last).not.toBe(second);
    stop();
    random.mockRestore();
  });

  it("stops if the report says so, and isn't observed again", async () => {
    const stop = watchSeen(button, () => stop(), true, FakeObserver as unknown as typeof IntersectionObserver);
    const observer = FakeObserver.last;
    observer.report([{ intersectionRatio: 1, isVisible: true }]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(FakeObserver.last).toBe(observer);
    expect(observer.observed).toBeNull();
  });

  it.each([
    ["the browser can't track visibility", 1, true],
    ["only the bounds matter", 2, false],
  ])(
    "isn't observed at irregular moments if %s, because every change of the bounds is reported",
    async (_why, version, track) => {
      FakeObserver.version = version;
      const stop = watchSeen(button, () => {}, track, FakeObserver as unknown as typeof IntersectionObserver);
      const observer = FakeObserver.last;
      observer.report([{ intersectionRatio: 1 }]);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(FakeObserver.last).toBe(observer);
      stop();
    },
  );

  it("depends only on the bounds if that is all the browser can tell", async () => {
    FakeObserver.version = 1;
    const whole = check();
    FakeObserver.last.report([{ intersectionRatio: 1 }]);
    await expect(whole).resolves.toBe(true);
    const half = check();
    FakeObserver.last.report([{ intersectionRatio: 0.5 }]);
    await vi.advanceTimersByTimeAsync(300);
    await expect(half).resolves.toBe(false);
  });
});
