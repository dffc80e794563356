import { describe, expect, it } from "vitest";
import type { FrameAppearance } from "@oriel/protocol/appearance-settings";
import { draftOf, appearanceOf } from "./appearance-draft.ts";

const own: FrameAppearance = {
  theme: "dark",
  style: "flat",
  labels: "floating",
  disableAnimations: true,
  variables: { colorPrimary: "#86dcc4", borderRadius: "2px" },
};

describe("the draft of an appearance", () => {
  it("converts back into the same appearance", () => {
    expect(appearanceOf(draftOf(own))).toEqual({ appearance: own, faults: [] });
  });

  it("converts into null if it's empty", () => {
    expect(appearanceOf(draftOf(null))).toEqual({ appearance: null, faults: [] });
  });

  it("leaves out defaults", () => {
    expect(appearanceOf(draftOf({ theme: "auto", labels: "above", disableAnimations: false }))).toEqual({
      appearance: null,
      faults: [],
    });
  });

  it.each([
    ["colorPrimary", "url(https://evil.example/x)"],
    ["colorText", "var(--x)"],
    ["borderRadius", "50%"],
    ["fontFamily", "x;}*{display:none"],
  ] as const)("rejects a %s of %s and keeps the other values", (name, text) => {
    const { appearance, faults } = appearanceOf({ ...draftOf({ labels: "hidden" }), [name]: text });
    expect(faults).toEqual([name]);
    expect(appearance).toEqual({ labels: "hidden" });
  });
});
