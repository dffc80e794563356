import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import * as seeing from "./is-visible.ts";
import { watchVisibility, type Sight } from "./watch-visibility.ts";

const watchSeen = vi.spyOn(seeing, "watchSeen");
const isElementVisible = vi.spyOn(seeing, "isElementVisible");
const stop = vi.fn<() => void>();
let page: Page;
let world: FakeWindow;
let sight: Sight;
let livemode: boolean | undefined;
/** Where the pointer is. */
let target: Element;
let last: [screenX: number, clientX: number, pointerType: string];

class FakeWindow extends EventTarget {
  devicePixelRatio = 1;
  outerWidth = 1280;
  screen = { width: 1280 };
  parent = {};
}

beforeEach(() => {
  vi.useFakeTimers();
  watchSeen.mockReset().mockReturnValue(stop);
  stop.mockReset();
  isElementVisible.mockReset().mockResolvedValue(true);
  page = loadPage();
  livemode = true;
  last = [0, 0, "touch"];
  target = page.pay;
  world = new FakeWindow();
  sight = watch();
});
afterEach(() => vi.useRealTimers());

// The fake implements only what is used.
const watch = () =>
  watchVisibility(
    page,
    world as unknown as Window & typeof globalThis,
    () => Date.now(),
    () => livemode,
  );
const type = () => page.main.dispatchEvent(new Event("input"));
/** What the last observer reports. */
const report = (seen: boolean, isWithin: boolean) => watchSeen.mock.calls.at(-1)?.[1](seen, isWithin);
/** Types something and reports that Pay is within all bounds, and whether it is covered. */
const see = (seen: boolean) => {
  type();
  if (watchSeen.mock.calls.length === 1) report(true, true);
  report(seen, true);
};
const point = (screenX: number, clientX: number, pointerType = "mouse", type = "pointermove") => {
  last = [screenX, clientX, pointerType];
  const event = new PointerEvent(type, { screenX, clientX, pointerType });
  // By the fake clock.
  world.dispatchEvent(Object.defineProperties(event, { target: { value: target }, timeStamp: { value: Date.now() } }));
};
/** Presses where the pointer is. */
const press = () => {
  point(...last, "pointerdown");
  return sight.wasSeen(true);
};
const pressKey = () => sight.wasSeen(false);

describe("watching Pay", () => {
  it("starts with the first input", () => {
    expect(watchSeen).not.toHaveBeenCalled();
    type();
    type();
    expect(watchSeen).toHaveBeenCalledExactlyOnceWith(page.pay, expect.any(Function), false);
  });

  it("doesn't happen on a full page, which nothing can cover", () => {
    world.parent = world;
    type();
    expect(watchSeen).not.toHaveBeenCalled();
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
    ["the window got the focus back from another one", () => world.dispatchEvent(new Event("focus"))],
    ["the tab was shown", () => document.dispatchEvent(new Event("visibilitychange"))],
    ["something was dragged over the form", () => page.pay.dispatchEvent(new Event("dragover", { bubbles: true }))],
  ])("only half a second after %s, because Pay may have moved or been covered", async (_what, change) => {
    see(true);
    vi.advanceTimersByTime(5_000);
    change();
    await expect(press()).resolves.toBe(false);
    vi.advanceTimersByTime(500);
    await expect(press()).resolves.toBe(true);
  });

  it("only if it was when the press began, because later the customer can't back out", async () => {
    see(true);
    vi.advanceTimersByTime(499);
    point(0, 0, "touch", "pointerdown");
    vi.advanceTimersByTime(5_000);
    point(0, 0, "touch");
    await expect(sight.wasSeen(true)).resolves.toBe(false);
  });

  it("only if it's still visible afterward", async () => {
    see(true);
    vi.advanceTimersByTime(5_000);
    isElementVisible.mockResolvedValue(false);
    await expect(press()).resolves.toBe(false);
    expect(isElementVisible).toHaveBeenCalledExactlyOnceWith(page.pay);
  });

  it("only once the texts, and with them the amount, are shown", async () => {
    see(true);
    vi.advanceTimersByTime(5_000);
    document.documentElement.dataset["words"] = "coming";
    const early = await press();
    delete document.documentElement.dataset["words"];
    expect([early, await press()]).toEqual([false, true]);
  });

  it("never while it is covered, whatever else changes", async () => {
    see(false);
    sight.restart();
    vi.advanceTimersByTime(5_000);
    await expect(press()).resolves.toBe(false);
  });
});

describe("a click for which no pointer was pressed on Pay, as by Firefox's accessibility actions", () => {
  it("counts if Pay is visible, as a press by keys does", async () => {
    see(true);
    vi.advanceTimersByTime(500);
    target = page.number;
    await expect(press()).resolves.toBe(true);
  });
});

describe("another button that pays", () => {
  const other = document.createElement("button");

  it("is watched instead of Pay, and has to be visible for half a second itself", async () => {
    see(true);
    vi.advanceTimersByTime(5_000);
    sight.watch(other);
    target = other;
    expect(watchSeen).toHaveBeenLastCalledWith(other, expect.any(Function), true);
    await expect(press()).resolves.toBe(false);
    report(true, true);
    vi.advanceTimersByTime(500);
    await expect(press()).resolves.toBe(true);
    expect(isElementVisible).toHaveBeenCalledExactlyOnceWith(other);
  });

  it.each([
    ["as soon as it has been visible for half a second", 400, true],
    ["after two seconds without that", 1_600, false],
  ])("can be waited for: %s", async (_until, appearsAfterMs, expected) => {
    const isSeen = vi.fn<(seen: boolean) => void>();
    sight.watch(other);
    void sight.untilSeen().then(isSeen);
    await vi.advanceTimersByTimeAsync(appearsAfterMs);
    report(true, true);
    await vi.advanceTimersByTimeAsync(expected ? 450 : 350);
    expect(isSeen).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(50);
    expect(isSeen).toHaveBeenCalledExactlyOnceWith(expected);
  });
});

describe("a press by keys", () => {
  const isSeen = vi.fn<(seen: boolean) => void>();
  beforeEach(() => isSeen.mockReset());

  it("counts at once if Pay has been visible for half a second and still is", async () => {
    see(true);
    vi.advanceTimersByTime(500);
    await expect(pressKey()).resolves.toBe(true);
    expect(isElementVisible).toHaveBeenCalledExactlyOnceWith(page.pay);
    isElementVisible.mockResolvedValue(false);
    await expect(pressKey()).resolves.toBe(false);
  });

  it("is held until Pay has been visible for half a second", async () => {
    see(true);
    vi.advanceTimersByTime(100);
    void pressKey().then(isSeen);
    await vi.advanceTimersByTimeAsync(350);
    expect(isSeen).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(50);
    expect(isSeen).toHaveBeenCalledExactlyOnceWith(true);
  });

  it("counts by the field with the focus, but then doesn't replace the confirmation's button, which is watched meanwhile", async () => {
    type();
    report(false, false);
    page.cvc.focus();
    void pressKey();
    const other = document.createElement("button");
    sight.watch(other);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(watchSeen).toHaveBeenLastCalledWith(other, expect.any(Function), true);
  });

  it("doesn't count while Pay is covered, even if the field is visible", async () => {
    see(false);
    page.cvc.focus();
    void pressKey().then(isSeen);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(isSeen).toHaveBeenCalledExactlyOnceWith(false);
    for (const [watched] of watchSeen.mock.calls) expect(watched).toBe(page.pay);
  });

  it.each<[string, () => void]>([
    ["has been covered", () => {}],
    [
      "has been covered, apart from moments,",
      () => [report(true, true), vi.advanceTimersByTime(200), report(false, true)],
    ],
    [
      "has been covered and out of view in between",
      () => [report(false, false), report(true, true), report(false, true)],
    ],
  ])(
    "isn't held if Pay %s since it was first watched a second ago, so that the host page can't show it just for the press",
    async (_what, happen) => {
      see(false);
      vi.advanceTimersByTime(900);
      happen();
      vi.advanceTimersByTime(100);
      void pressKey().then(isSeen);
      await vi.advanceTimersByTimeAsync(0);
      expect(isSeen).toHaveBeenCalledExactlyOnceWith(false);
    },
  );

  it("isn't held if Pay is visible but was too small a second ago", async () => {
    see(true);
    point(0, 0);
    point(20, 100);
    vi.advanceTimersByTime(1_000);
    void pressKey().then(isSeen);
    await vi.advanceTimersByTimeAsync(0);
    expect(isSeen).toHaveBeenCalledExactlyOnceWith(false);
  });

  it("is held if Pay was out of view and is visible now, because nothing was known about a cover", async () => {
    report(false, false);
    vi.advanceTimersByTime(5_000);
    report(false, true);
    void pressKey().then(isSeen);
    await vi.advanceTimersByTimeAsync(50);
    report(true, true);
    await vi.advanceTimersByTimeAsync(500);
    expect(isSeen).toHaveBeenCalledExactlyOnceWith(true);
  });

  it("is held only until Pay has been watched for a second", async () => {
    see(false);
    vi.advanceTimersByTime(700);
    void pressKey().then(isSeen);
    await vi.advanceTimersByTimeAsync(250);
    expect(isSeen).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(50);
    expect(isSeen).toHaveBeenCalledExactlyOnceWith(false);
  });

  it("is held until Pay has been visible for half a second, even if it was watched and covered before", async () => {
    see(false);
    vi.advanceTimersByTime(5_000);
    report(true, true);
    void pressKey().then(isSeen);
    await vi.advanceTimersByTimeAsync(450);
    expect(isSeen).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(50);
    expect(isSeen).toHaveBeenCalledExactlyOnceWith(true);
  });

  it.each([true, false])("counts by the field with the focus while Pay is out of view: %s", async (isFieldSeen) => {
    type();
    report(false, false);
    page.cvc.focus();
    void pressKey().then(isSeen);
    expect(watchSeen).toHaveBeenLastCalledWith(page.cvc.parentElement, expect.any(Function), true);
    report(isFieldSeen, true);
    await vi.advanceTimersByTimeAsync(isFieldSeen ? 500 : 2_000);
    expect(isSeen).toHaveBeenCalledExactlyOnceWith(isFieldSeen);
    expect(watchSeen).toHaveBeenLastCalledWith(page.pay, expect.any(Function), true);
  });

  it("counts by Pay if nothing has the focus, as with assistive technology", async () => {
    (document.activeElement as HTMLElement | null)?.blur();
    void pressKey().then(isSeen);
    report(true, true);
    await vi.advanceTimersByTimeAsync(500);
    expect(isSeen).toHaveBeenCalledExactlyOnceWith(true);
  });
});

describe("a press by a mouse pointer that has only just appeared", () => {
  beforeEach(() => {
    see(true);
    vi.advanceTimersByTime(5_000);
  });
  const leave = () => document.documentElement.dispatchEvent(new Event("pointerleave"));
  const wait = (ms: number) => () => vi.advanceTimersByTime(ms);

  it.each<[string, boolean, (() => void)[]]>([
    ["presses where it appears", false, [() => point(50, 50, "mouse", "pointerover")]],
    ["presses without any event before", false, [() => (last = [50, 50, "mouse"])]],
    ["has moved by the hand's tremor only", false, [() => point(50, 50), wait(499), () => point(69, 69)]],
    ["appears again after a window over the page", false, [() => point(0, 0), wait(900), leave, () => point(0, 0)]],
    ["has come from the edge", true, [() => point(0, 0), wait(50), () => point(20, 20)]],
    ["has been here for half a second", true, [() => point(50, 50, "mouse", "pointerover"), wait(500)]],
    ["is a finger", true, [() => point(50, 50, "touch", "pointerover")]],
  ])("and %s counts: %s", async (_what, expected, events) => {
    for (const happen of events) happen();
    await expect(press()).resolves.toBe(expected);
  });

  it("counts in test mode, because scripts move the pointer like that", async () => {
    livemode = false;
    last = [50, 50, "mouse"];
    await expect(press()).resolves.toBe(true);
  });
});

describe("a page that scales the iframe down", () => {
  beforeEach(() => {
    see(true);
    point(0, 0);
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

describe("a press by a script that filled in the form", () => {
  beforeEach(() => {
    livemode = false;
    page.typing.isScripted = true;
  });

  it("doesn't make the browser watch Pay before, which could drop the click", () => {
    type();
    expect(watchSeen).not.toHaveBeenCalled();
  });

  it("is held until Pay has been visible for half a second", async () => {
    const isSeen = vi.fn<(seen: boolean) => void>();
    void press().then(isSeen);
    report(true, true);
    report(true, true);
    await vi.advanceTimersByTimeAsync(450);
    expect(isSeen).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(100);
    expect(isSeen).toHaveBeenCalledExactlyOnceWith(true);
  });

  it("doesn't count if Pay isn't visible for half a second within two seconds", async () => {
    const isSeen = vi.fn<(seen: boolean) => void>();
    void press().then(isSeen);
    await vi.advanceTimersByTimeAsync(1_700);
    report(true, true);
    report(true, true);
    await vi.advanceTimersByTimeAsync(300);
    expect(isSeen).toHaveBeenCalledExactlyOnceWith(false);
  });

  it.each([
    ["in live mode", () => (livemode = true)],
    ["before the mode is known", () => (livemode = undefined)],
    ["if a key was pressed", () => (page.typing.isScripted = false)],
  ])("isn't held %s", async (_when, change) => {
    change();
    await expect(press()).resolves.toBe(false);
  });

  it("is watched from the first input on in live mode", () => {
    livemode = true;
    type();
    expect(watchSeen).toHaveBeenCalledOnce();
  });
});
