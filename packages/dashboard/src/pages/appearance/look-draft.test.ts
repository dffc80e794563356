/** A draft becomes a look that the service takes, and the other way round. */
import type { FrameAppearance } from "@oriel/protocol/frame-looks";
import { expect, test } from "vitest";
import { draftOf, lookOf } from "./look-draft.ts";

const own: FrameAppearance = {
  theme: "dark",
  style: "flat",
  labels: "floating",
  disableAnimations: true,
  variables: { colorPrimary: "#86dcc4", borderRadius: "2px" },
};

test("a look comes back from its draft unchanged", () => {
  expect(lookOf(draftOf(own))).toEqual({ look: own, faults: [] });
});

test("an empty draft is no look of one's own", () => {
  expect(lookOf(draftOf(null))).toEqual({ look: null, faults: [] });
});

test("what says the default is not kept", () => {
  expect(lookOf(draftOf({ theme: "auto", labels: "above", disableAnimations: false }))).toEqual({
    look: null,
    faults: [],
  });
});

test.each([
  ["colorPrimary", "url(https://evil.example/x)"],
  ["colorText", "var(--x)"],
  ["borderRadius", "50%"],
  ["fontFamily", "x;}*{display:none"],
] as const)("%s that reads %s is a fault of its field, and the rest holds", (name, text) => {
  const { look, faults } = lookOf({ ...draftOf({ labels: "hidden" }), [name]: text });
  expect(faults).toEqual([name]);
  expect(look).toEqual({ labels: "hidden" });
});
