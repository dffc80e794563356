import { describe, expect, it } from "vitest";
import type { FrameSettings, AvailableSpace } from "@oriel/protocol/windows";
import { placeChallenge } from "./place-challenge.ts";

/** A window of this size. In an iframe, the parent is another window; on a full page, it is the window itself. */
function windowOf(width: number, height: number, isFrame: boolean): Window {
  const window = { innerWidth: width, innerHeight: height, document: { documentElement: { clientWidth: width } } };
  // Only the fields that are used.
  return Object.assign(window, { parent: isFrame ? {} : window }) as unknown as Window;
}

function place(room: AvailableSpace | null, wish?: FrameSettings["challenge"]) {
  const place = placeChallenge(windowOf(room?.width ?? 400, room?.height ?? 700, true), room, wish);
  const presentation = place.presentation(place.windowSize);
  return [place.windowSize, presentation, place.heightOf(presentation)];
}

describe("the place of the challenge in an iframe", () => {
  it.each([
    ["a wide column", { width: 640, height: 900, full: 1280 }, ["02", "inline", 760]],
    ["a narrow column with enough room", { width: 400, height: 800, full: 1280 }, ["02", "inline", 660]],
    ["a 280 px container on a desktop", { width: 280, height: 800, full: 1280 }, ["02", "overlay", 660]],
    ["a 280 px container on a small laptop", { width: 280, height: 660, full: 1280 }, ["02", "overlay", 520]],
    ["a phone of 360x640", { width: 328, height: 640, full: 360 }, ["05", "overlay", 500]],
    ["a 280 px container on that phone", { width: 280, height: 640, full: 360 }, ["05", "overlay", 500]],
    ["a phone in landscape", { width: 600, height: 360, full: 640 }, ["05", "overlay", 400]],
    ["a narrow container without enlarging", { width: 280, height: 640, full: null }, ["01", "inline", 500]],
    ["very little room without enlarging", { width: 200, height: 300, full: null }, ["05", "inline", 400]],
  ] satisfies [string, AvailableSpace, unknown[]][])("is chosen for %s", (_what, room, expected) => {
    expect(place(room)).toEqual(expected);
  });

  it("is inline if the host page hasn't reported its room or its loader can't enlarge iframes", () => {
    expect(place(null)).toEqual(["02", "inline", 560]);
    expect(place({ width: 300, height: 700, full: null }, "overlay")).toEqual(["01", "inline", 560]);
  });

  it.each([
    ["inline", { width: 328, height: 640, full: 360 }, ["01", "inline", 500]],
    ["overlay", { width: 640, height: 900, full: 1280 }, ["02", "overlay", 760]],
    ["redirect", { width: 328, height: 640, full: 360 }, ["05", "redirect", 500]],
    ["redirect", { width: 640, height: 900, full: 1280 }, ["02", "redirect", 760]],
  ] satisfies [FrameSettings["challenge"], AvailableSpace, unknown[]][])(
    "is %s if the host page requests it",
    (wish, room, expected) => {
      expect(place(room, wish)).toEqual(expected);
    },
  );

  it("is the same after a reload, based on the size that the bank was given", () => {
    const phone = placeChallenge(windowOf(328, 640, true), { width: 328, height: 640, full: 360 });
    expect(["05", "02", "01"].map((size) => phone.presentation(size as "05"))).toEqual([
      "overlay",
      "overlay",
      "overlay",
    ]);
    const desktop = placeChallenge(windowOf(640, 900, true), { width: 640, height: 900, full: 1280 });
    expect(desktop.presentation("02")).toBe("inline");
    expect(desktop.presentation("03")).toBe("inline"); // of a payment that began with an earlier version
  });
});

describe("the place of the challenge on a full page", () => {
  it.each([
    ["a phone", 360, 640, "05"],
    ["a desktop", 1280, 900, "02"],
    ["a small laptop", 1280, 650, "02"],
  ])("is inline on %s", (_what, width, height, windowSize) => {
    const place = placeChallenge(windowOf(width, height, false), null, "redirect");
    expect([place.windowSize, place.presentation(place.windowSize)]).toEqual([windowSize, "inline"]);
  });
});
