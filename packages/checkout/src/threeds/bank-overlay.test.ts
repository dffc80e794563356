import { beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import { createBankOverlay, isGrown } from "./bank-overlay.ts";
import type { BankOverlay } from "./bank-overlay.ts";

const tell = vi.fn<(name: string, detail: object) => void>();
const shrunk = vi.fn<() => void>();
let overlay: BankOverlay;

beforeEach(() => {
  tell.mockClear();
  shrunk.mockClear();
  overlay = createBankOverlay(loadPage(), { tell }, shrunk);
});

describe("the frame over the page", () => {
  it("is asked for, fills the window meanwhile, and is given back with the height looked at again", () => {
    overlay.open();
    expect(isGrown(document)).toBe(true);
    expect(tell.mock.calls).toEqual([["grow", {}]]);
    const scrolled = vi.spyOn(window, "scrollTo");
    overlay.close();
    expect(isGrown(document)).toBe(false);
    expect(tell.mock.calls).toEqual([
      ["grow", {}],
      ["shrink", {}],
    ]);
    expect(scrolled).toHaveBeenCalledWith(0, 0);
    expect(shrunk).toHaveBeenCalledOnce();
  });

  it("that was never asked for is not given back", () => {
    overlay.close();
    expect(tell).not.toHaveBeenCalled();
    expect(shrunk).not.toHaveBeenCalled();
  });
});
