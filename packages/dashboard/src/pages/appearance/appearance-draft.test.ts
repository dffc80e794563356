import type { FrameAppearance } from "@oriel/protocol/appearance-settings";
import { describe, expect, it } from "vitest";
import { draftOf, lookOf } from "./appearance-draft.ts";

const own: FrameAppearance = {
  theme: "dark",
  style: "flat",
  labels: "floating",
  disableAnimations: true,
  variables: { colorPrimary: "#86dcc4", borderRadius: "2px" },
};

describe("the draft of an appearance", () => {
  it("converts back into the same appearance", () => {
    expect(lookOf(draftOf(own))).toEqual({ look: own, faults: [] });
  });

  it("converts into null if it's empty", () => {
    expect(lookOf(draftOf(null))).toEqual({ look: null, faults: [] });
  });

  it("leaves out defaults", () => {
    expect(lookOf(draftOf({ theme: "auto", labels: "above", disableAnimations: false }))).toEqual({
      look: null,
      faults: [],
    });
  });

  it.each([
    ["colorPrimary", "url(https://evil.example/x)"],
    ["colorText", "var(--x)"],
    ["borderRadius", "50%"],
    ["fontFamily", "x;}*{display:none"],
  ] as const)("rejects a %s of %s and keeps the other values", (name, text) => {
    const { look, faults } = lookOf({ ...draftOf({ labels: "hidden" }), [name]: text });
    expect(faults).toEqual([name]);
    expect(look).toEqual({ labels: "hidden" });
  });
});
