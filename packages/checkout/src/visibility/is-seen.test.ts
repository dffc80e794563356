import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isSeen, watchSeen } from "./is-seen.ts";

interface Seen {
  intersectionRatio: number;
  isVisible?: boolean;
}

/** Observes nothing: a test says what it sees. */
class FakeObserver {
  static last: FakeObserver;
  readonly report: (entries: Seen[]) => void;
  readonly options: Record<string, unknown>;
  readonly trackVisibility: boolean | undefined;
  observed: Element | null = null;
  constructor(report: (entries: Seen[]) => void, options: Record<string, unknown>) {
    this.report = report;
    this.options = options;
    this.trackVisibility = FakeObserver.version === 2 ? options["trackVisibility"] === true : undefined;
    FakeObserver.last = this;
  }
  static version = 2;
  observe(element: Element) {
    this.observed = element;
  }
  disconnect() {
    this.observed = null;
  }
}

const button = document.createElement("button");
// Two methods and a callback are all that is asked of an observer.
const ask = () => isSeen(button, FakeObserver as unknown as typeof IntersectionObserver);

beforeEach(() => {
  vi.useFakeTimers();
  FakeObserver.version = 2;
});
afterEach(() => vi.useRealTimers());

describe("whether an element is seen", () => {
  it("is what an observation after the call says, and nothing is observed after that", async () => {
    const seen = ask();
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
    ["is not there at all", { intersectionRatio: 0, isVisible: false }],
  ])("is no after 300 ms where it %s", async (_what, entry) => {
    const seen = ask();
    const observer = FakeObserver.last;
    observer.report([entry]);
    await vi.advanceTimersByTimeAsync(300);
    await expect(seen).resolves.toBe(false);
    expect(observer.observed).toBeNull();
  });

  it("may be said late, as the signal lags behind what is on the screen", async () => {
    const seen = ask();
    FakeObserver.last.report([{ intersectionRatio: 1, isVisible: false }]);
    await vi.advanceTimersByTimeAsync(299);
    FakeObserver.last.report([{ intersectionRatio: 0.995, isVisible: true }]);
    await expect(seen).resolves.toBe(true);
  });

  it("is no where nothing is heard: a frame that is never drawn is never observed", async () => {
    const seen = ask();
    await vi.advanceTimersByTimeAsync(300);
    await expect(seen).resolves.toBe(false);
  });

  it("is reported after each change, apart from whether it lies within all edges, until it is stopped", () => {
    const reports: [boolean, boolean][] = [];
    // As above.
    const Observer = FakeObserver as unknown as typeof IntersectionObserver;
    const stop = watchSeen(button, (...told) => void reports.push(told), true, Observer);
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
  });

  it("is the share within all edges alone, where the browser knows no more", async () => {
    FakeObserver.version = 1;
    const whole = ask();
    FakeObserver.last.report([{ intersectionRatio: 1 }]);
    await expect(whole).resolves.toBe(true);
    const half = ask();
    FakeObserver.last.report([{ intersectionRatio: 0.5 }]);
    await vi.advanceTimersByTimeAsync(300);
    await expect(half).resolves.toBe(false);
  });
});
