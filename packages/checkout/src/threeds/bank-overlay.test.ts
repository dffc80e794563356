import { beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import { createBankOverlay, isGrown } from "./bank-overlay.ts";
import type { BankOverlay } from "./bank-overlay.ts";

const emit = vi.fn<(name: string, detail: object) => void>();
const shrunk = vi.fn<() => void>();
let overlay: BankOverlay;

beforeEach(() => {
  emit.mockClear();
  shrunk.mockClear();
  overlay = createBankOverlay(loadPage(), { emit }, shrunk);
});

describe("the iframe over the page", () => {
  it("is enlarged, fills the window meanwhile, and is shrunk with its height measured again", () => {
    overlay.open();
    expect(isGrown(document)).toBe(true);
    expect(emit.mock.calls).toEqual([["grow", {}]]);
    const scrolled = vi.spyOn(window, "scrollTo");
    overlay.close();
    expect(isGrown(document)).toBe(false);
    expect(emit.mock.calls).toEqual([
      ["grow", {}],
      ["shrink", {}],
    ]);
    expect(scrolled).toHaveBeenCalledWith(0, 0);
    expect(shrunk).toHaveBeenCalledOnce();
  });

  it("isn't shrunk if it was never enlarged", () => {
    overlay.close();
    expect(emit).not.toHaveBeenCalled();
    expect(shrunk).not.toHaveBeenCalled();
  });
});
