import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import * as seeing from "./is-visible.ts";
import { watchVisibility, type Sight } from "./watch-visibility.ts";

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

// The fake implements only what is used.
const watch = () => watchVisibility(page, world as unknown as Window & typeof globalThis, () => Date.now());
const type = () => page.number.dispatchEvent(new Event("input", { bubbles: true }));
/** Marks an event as trusted, which otherwise only browsers can do. */
const trusted = (event: Event) => Object.defineProperty(event, "isTrusted", { value: true });
const insert = () =>
  page.cvc.dispatchEvent(trusted(new InputEvent("input", { bubbles: true, inputType: "insertText" })));
const typeByHand = () => page.cvc.dispatchEvent(trusted(new Event("input", { bubbles: true })));
/** A press that is handled at once. */
const press = () => sight.press()();
/** What the last observer reports. */
const report = (seen: boolean, isWithin: boolean) => watchSeen.mock.calls.at(-1)?.[1](seen, isWithin);
/** Types something and reports that Pay is within all bounds, and whether it is covered. */
const see = (seen: boolean) => {
  type();
  if (watchSeen.mock.calls.length === 1) report(true, true);
  report(seen, true);
};
const point = (screenX: number, clientX: number, pointerType = "mouse", type = "pointermove") =>
  world.dispatchEvent(new PointerEvent(type, { screenX, clientX, pointerType }));

describe("watching Pay", () => {
  it("starts with the first input", () => {
    expect(watchSeen).not.toHaveBeenCalled();
    type();
    type();
    expect(watchSeen).toHaveBeenCalledExactlyOnceWith(page.pay, expect.any(Function), false);
  });

  it("starts 750 ms after a click, because a password manager may follow", () => {
    page.number.dispatchEvent(new Event("pointerdown", { bubbles: true }));
    vi.advanceTimersByTime(749);
    expect(watchSeen).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(watchSeen).toHaveBeenCalledOnce();
  });

  it("starts at once if something was typed before this code arrived", () => {
    page.cvc.value = "1";
    watch();
    expect(watchSeen).toHaveBeenCalledOnce();
  });

  it("tracks visibility only within all bounds, because the browser drops clicks for it", () => {
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

  it("doesn't count Pay as visible while only the bounds are known", async () => {
    type();
    report(true, true);
    vi.advanceTimersByTime(5_000);
    await expect(press()).resolves.toBe(false);
  });
});

describe("Pay counts as visible long enough", () => {
  it("only after half a second without a break", async () => {
    await expect(press()).resolves.toBe(false);
    see(true);
    vi.advanceTimersByTime(499);
    await expect(press()).resolves.toBe(false);
    see(true);
    vi.advanceTimersByTime(1);
    await expect(press()).resolves.toBe(true);
  });

  it("only half a second after it was uncovered", async () => {
    see(true);
    vi.advanceTimersByTime(5_000);
    see(false);
    await expect(press()).resolves.toBe(false);
    see(true);
    await expect(press()).resolves.toBe(false);
    vi.advanceTimersByTime(500);
    await expect(press()).resolves.toBe(true);
  });

  it.each<[string, () => void]>([
    ["the host page changed the form", () => sight.restart()],
    ["the iframe's size changed", () => world.dispatchEvent(new Event("resize"))],
  ])("only half a second after %s, because Pay may have moved", async (_what, change) => {
    see(true);
    vi.advanceTimersByTime(5_000);
    change();
    await expect(press()).resolves.toBe(false);
    vi.advanceTimersByTime(500);
    await expect(press()).resolves.toBe(true);
  });

  it("never while it is covered, whatever else changes", async () => {
    see(false);
    sight.restart();
    vi.advanceTimersByTime(5_000);
    await expect(press()).resolves.toBe(false);
  });
});

describe("a press within the first half second", () => {
  /** The result of a press, once it's known. */
  const pressEarly = () => {
    const told = vi.fn<(isFine: boolean) => void>();
    void press().then(told);
    return told;
  };

  it("is held for the rest of the half second if the customer typed while Pay was visible", async () => {
    see(true);
    typeByHand();
    await vi.advanceTimersByTimeAsync(100);
    const told = pressEarly();
    await vi.advanceTimersByTimeAsync(350);
    expect(told).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(50);
    expect(told).toHaveBeenCalledExactlyOnceWith(true);
  });

  it("is held if the input is what made us watch Pay, as with autofill", async () => {
    typeByHand();
    report(true, true);
    report(true, true);
    const told = pressEarly();
    await vi.advanceTimersByTimeAsync(500);
    expect(told).toHaveBeenCalledExactlyOnceWith(true);
  });

  it.each<[string, () => void]>([
    ["is covered", () => report(false, true)],
    [
      "is covered for a moment",
      () => {
        report(false, true);
        report(true, true);
      },
    ],
    ["leaves the visible part of the page", () => report(false, false)],
    ["may have been moved by the host page", () => sight.restart()],
    ["may have been moved by a new size", () => world.dispatchEvent(new Event("resize"))],
    ["becomes small", () => (world.devicePixelRatio = 0.2)],
  ])("doesn't count if Pay %s while it's held, even if the customer goes on typing", async (_what, change) => {
    see(true);
    typeByHand();
    const told = pressEarly();
    await vi.advanceTimersByTimeAsync(300);
    change();
    typeByHand();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(told).toHaveBeenCalledExactlyOnceWith(false);
  });

  it.each<[string, () => void]>([
    ["nothing was typed by a customer", () => see(true)],
    [
      "the customer typed while Pay was covered",
      () => {
        see(false);
        typeByHand();
        report(true, true);
      },
    ],
    [
      "the customer typed while Pay was outside the visible part of the page",
      () => {
        type();
        report(false, false);
        typeByHand();
        report(true, true);
        report(true, true);
      },
    ],
    [
      "the host page changed the form after the input",
      () => {
        see(true);
        typeByHand();
        sight.restart();
      },
    ],
    [
      "Pay is still covered",
      () => {
        see(false);
        typeByHand();
      },
    ],
    ["the browser hasn't reported that Pay is visible", typeByHand],
  ])("doesn't count if %s, whatever is visible afterwards", async (_what, act) => {
    act();
    const told = pressEarly();
    await vi.advanceTimersByTimeAsync(0);
    report(true, true);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(told).toHaveBeenCalledExactlyOnceWith(false);
  });
});

describe("a form that a script fills in without a key press", () => {
  beforeEach(insert);

  it("isn't watched until it has been unchanged for 750 ms, because the browser would drop the script's click", () => {
    vi.advanceTimersByTime(700);
    world.dispatchEvent(new Event("resize"));
    vi.advanceTimersByTime(700);
    insert();
    vi.advanceTimersByTime(49);
    expect(watchSeen).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(watchSeen).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(5_000);
    expect(watchSeen).toHaveBeenCalledOnce();
  });

  it("pays once Pay has been visible and unchanged for half a second after the press", async () => {
    const told = vi.fn<(isFine: boolean) => void>();
    void press().then(told);
    report(true, true);
    await vi.advanceTimersByTimeAsync(100);
    report(true, true);
    await vi.advanceTimersByTimeAsync(300);
    sight.restart();
    await vi.advanceTimersByTimeAsync(450);
    expect(told).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(50);
    expect(told).toHaveBeenCalledExactlyOnceWith(true);
  });

  it("doesn't pay if Pay isn't visible within 1.5 seconds", async () => {
    const told = vi.fn<(isFine: boolean) => void>();
    void press().then(told);
    report(true, true);
    report(false, true);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(told).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(50);
    expect(told).toHaveBeenCalledExactlyOnceWith(false);
  });

  it.each<[string, () => void]>([
    ["two seconds after its first input", () => vi.advanceTimersByTime(2_000)],
    ["once a key was pressed", () => page.cvc.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true }))],
  ])("is treated like any other %s", async (_when, act) => {
    act();
    await expect(press()).resolves.toBe(false);
  });

  it("isn't watched at once either if it was filled in before this code arrived", () => {
    page.cvc.value = "1";
    watch();
    expect(watchSeen).not.toHaveBeenCalled();
  });
});

describe("a page that scales the iframe down", () => {
  beforeEach(() => {
    see(true);
    vi.advanceTimersByTime(5_000);
  });

  it.each<[string, boolean, () => void]>([
    ["the pointer moves five times as far as on the screen", false, () => [point(0, 0), point(20, 100)]],
    ["the pointer moves the opposite way", false, () => [point(0, 100), point(100, 0)]],
    ["original size", true, () => [point(0, 0), point(100, 100)]],
    ["a browser zoom of 50%", true, () => [point(0, 0), point(50, 100)]],
    ["the pointer moved too little to tell", true, () => [point(0, 0), point(0, 19)]],
    ["back to full size after being small", true, () => [point(0, 0), point(20, 100), point(120, 200)]],
    ["a device pixel ratio of 0.2", false, () => (world.devicePixelRatio = 0.2)],
    ["a window five screens wide", false, () => (world.outerWidth = 6_400)],
    ["a device pixel ratio of 0.5 with a mouse", true, () => (world.devicePixelRatio = 0.5)],
    [
      "a device pixel ratio of 0.5 with touch",
      false,
      () => {
        world.devicePixelRatio = 0.5;
        point(0, 0, "touch", "pointerdown");
      },
    ],
    [
      "a device pixel ratio of 3 with touch",
      true,
      () => {
        world.devicePixelRatio = 3;
        point(0, 0, "touch", "pointerdown");
      },
    ],
  ])("(%s) counts Pay as visible: %s", async (_what, expected, act) => {
    act();
    await expect(press()).resolves.toBe(expected);
  });
});
