import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { showMark } from "./brand-mark.ts";
import { markUrls } from "./mark-urls.ts";

let box: HTMLElement;
beforeEach(() => {
  box = document.createElement("span");
  Reflect.set(markUrls, "visa", "/assets/visa-12345678.svg"); // as the build does
});
afterEach(() => {
  Reflect.deleteProperty(markUrls, "visa");
});
const image = () => box.querySelector("img");

describe("a brand's mark", () => {
  it("shows a generic card until the mark has loaded", () => {
    showMark(box, "visa", "Visa");
    expect(image()?.getAttribute("src")).toBe("/assets/visa-12345678.svg");
    expect(image()?.hidden).toBe(true);
    expect(box.dataset["word"]).toBeUndefined();
    image()?.dispatchEvent(new Event("load"));
    expect(image()?.hidden).toBe(false);
  });

  it("has the brand's name as its label, and is hidden from screen readers while the brand is unknown", () => {
    showMark(box, "visa", "Visa");
    expect([box.getAttribute("role"), box.getAttribute("aria-label"), box.getAttribute("aria-hidden")]).toEqual([
      "img",
      "Visa",
      null,
    ]);
    showMark(box, "unknown", "");
    expect(box.getAttribute("aria-hidden")).toBe("true");
    expect(box.childElementCount).toBe(0);
  });

  it("shows the brand's name and loads its styles if there is no mark or it can't be loaded", () => {
    const loadStyles = vi.fn<() => void>();
    showMark(box, "visa", "Visa", loadStyles);
    expect(loadStyles).not.toHaveBeenCalled();
    image()?.dispatchEvent(new Event("error"));
    expect(box.dataset["word"]).toBe("Visa");
    expect(loadStyles).toHaveBeenCalledTimes(1);
    showMark(box, "unionpay", "UnionPay", loadStyles);
    expect(box.dataset["word"]).toBe("UnionPay");
    expect(image()).toBeNull();
    expect(loadStyles).toHaveBeenCalledTimes(2);
  });

  it("ignores a mark that fails to load after the brand has changed", () => {
    showMark(box, "visa", "Visa");
    const late = image();
    expect(late).not.toBeNull();
    showMark(box, "unknown", "");
    late?.dispatchEvent(new Event("error"));
    expect(box.dataset["word"]).toBeUndefined();
  });

  it("fetches the mark only once while the brand stays the same", () => {
    showMark(box, "visa", "Visa");
    const first = image();
    showMark(box, "visa", "Visa");
    expect(image()).toBe(first);
  });
});
