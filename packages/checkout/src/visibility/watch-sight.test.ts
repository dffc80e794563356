import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import * as seeing from "./is-seen.ts";
import { watchSight, type Sight } from "./watch-sight.ts";

const watchSeen = vi.spyOn(seeing, "watchSeen");
const stop = vi.fn<() => void>();
let page: Page;
let world: FakeWindow;
let sight: Sight;

class FakeWindow extends EventTarget {
  devicePixelRatio = 1;
  outerWidth = 1280;
  screen = { width: 1280 };
}

beforeEach(() => {
  vi.useFakeTimers();
  watchSeen.mockReset().mockReturnValue(stop);
  stop.mockReset();
  page = loadPage();
  world = new FakeWindow();
  sight = watch();
});
afterEach(() => vi.useRealTimers());

const watch = () => watchSight(page, world as unknown as Window & typeof globalThis, () => Date.now()); // no more is asked of it
const type = () => world.dispatchEvent(new Event("input"));
/** What the last observer reports. */
const report = (seen: boolean, isWithin: boolean) => watchSeen.mock.calls.at(-1)?.[1](seen, isWithin);
/** From when something was typed and Pay lies within all edges: covered or not. */
const see = (seen: boolean) => {
  type();
  if (watchSeen.mock.calls.length === 1) report(true, true);
  report(seen, true);
};
const point = (screenX: number, clientX: number, pointerType = "mouse", type = "pointermove") =>
  world.dispatchEvent(new PointerEvent(type, { screenX, clientX, pointerType }));

describe("Pay is watched", () => {
  it("from the first input on", () => {
    expect(watchSeen).not.toHaveBeenCalled();
    type();
    type();
    expect(watchSeen).toHaveBeenCalledExactlyOnceWith(page.pay, expect.any(Function), false);
  });

  it("at once where something was typed before this code came", () => {
    page.cvc.value = "1";
    watch();
    expect(watchSeen).toHaveBeenCalledOnce();
  });

  it("closely while it lies within all edges, and then no longer: the browser drops clicks for it", () => {
    type();
    report(false, false);
    expect(watchSeen).toHaveBeenCalledOnce();
    report(true, true);
    expect(stop).toHaveBeenCalledOnce();
    expect(watchSeen).toHaveBeenLastCalledWith(page.pay, expect.any(Function), true);
    report(false, true);
    expect(watchSeen).toHaveBeenCalledTimes(2);
    report(false, false);
    expect(stop).toHaveBeenCalledTimes(2);
    expect(watchSeen).toHaveBeenLastCalledWith(page.pay, expect.any(Function), false);
  });

  it("not closely enough to count as visible, as long as only the edges are known", () => {
    type();
    report(true, true);
    vi.advanceTimersByTime(5_000);
    expect(sight.isLong()).toBe(false);
  });
});

describe("Pay was visible for long enough", () => {
  it("after half a second without a break, and not before", () => {
    expect(sight.isLong()).toBe(false);
    see(true);
    vi.advanceTimersByTime(499);
    expect(sight.isLong()).toBe(false);
    see(true);
    vi.advanceTimersByTime(1);
    expect(sight.isLong()).toBe(true);
  });

  it("half a second after it was covered", () => {
    see(true);
    vi.advanceTimersByTime(5_000);
    see(false);
    expect(sight.isLong()).toBe(false);
    see(true);
    expect(sight.isLong()).toBe(false);
    vi.advanceTimersByTime(500);
    expect(sight.isLong()).toBe(true);
  });

  it.each<[string, () => void]>([
    ["the host page changed the form", () => sight.restart()],
    ["the frame's size changed", () => world.dispatchEvent(new Event("resize"))],
  ])("half a second after %s, for Pay may have moved", (_what, change) => {
    see(true);
    vi.advanceTimersByTime(5_000);
    change();
    expect(sight.isLong()).toBe(false);
    vi.advanceTimersByTime(500);
    expect(sight.isLong()).toBe(true);
  });

  it("never while it is covered, whatever else changes", () => {
    see(false);
    sight.restart();
    vi.advanceTimersByTime(5_000);
    expect(sight.isLong()).toBe(false);
  });
});

describe("a page that makes the frame small", () => {
  beforeEach(() => {
    see(true);
    vi.advanceTimersByTime(5_000);
  });

  it.each<[string, boolean, () => void]>([
    ["in which the pointer moves five times as far as on the screen", false, () => [point(0, 0), point(20, 100)]],
    ["in which it moves the other way round", false, () => [point(0, 100), point(100, 0)]],
    ["at its own size", true, () => [point(0, 0), point(100, 100)]],
    ["that the browser shows at half its size", true, () => [point(0, 0), point(50, 100)]],
    ["in which the pointer moved too little to tell", true, () => [point(0, 0), point(0, 19)]],
    ["that is as large as ever, after it was small", true, () => [point(0, 0), point(20, 100), point(120, 200)]],
    ["with a fifth of a pixel to one of the frame's", false, () => (world.devicePixelRatio = 0.2)],
    ["that is five screens wide", false, () => (world.outerWidth = 6_400)],
    ["with half a pixel to one, and a mouse", true, () => (world.devicePixelRatio = 0.5)],
    [
      "with half a pixel to one, and a finger",
      false,
      () => {
        world.devicePixelRatio = 0.5;
        point(0, 0, "touch", "pointerdown");
      },
    ],
    [
      "with three pixels to one, and a finger",
      true,
      () => {
        world.devicePixelRatio = 3;
        point(0, 0, "touch", "pointerdown");
      },
    ],
  ])("(%s) shows Pay: %s", (_what, expected, act) => {
    act();
    expect(sight.isLong()).toBe(expected);
  });
});
