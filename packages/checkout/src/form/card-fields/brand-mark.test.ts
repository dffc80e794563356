import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { showMark } from "./brand-mark.ts";
import { markAddresses } from "./mark-addresses.ts";

let box: HTMLElement;
beforeEach(() => {
  box = document.createElement("span");
  Reflect.set(markAddresses, "visa", "/assets/visa-12345678.svg"); // as a build would
});
afterEach(() => {
  Reflect.deleteProperty(markAddresses, "visa");
});
const image = () => box.querySelector("img");

describe("a brand's mark", () => {
  it("is shown when it is there, and a card of no brand until then", () => {
    showMark(box, "visa", "Visa");
    expect(image()?.getAttribute("src")).toBe("/assets/visa-12345678.svg");
    expect(image()?.hidden).toBe(true);
    expect(box.dataset["word"]).toBeUndefined();
    image()?.dispatchEvent(new Event("load"));
    expect(image()?.hidden).toBe(false);
  });

  it("has the brand's name for who does not see it, and is nothing to read while no brand is known", () => {
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

  it("is the brand's name if there is no mark or it can't be loaded, and the name's styles are loaded then", () => {
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

  it("that fails late puts no word on another brand", () => {
    showMark(box, "visa", "Visa");
    const late = image();
    expect(late).not.toBeNull();
    showMark(box, "unknown", "");
    late?.dispatchEvent(new Event("error"));
    expect(box.dataset["word"]).toBeUndefined();
  });

  it("is fetched once for as long as the brand is the same", () => {
    showMark(box, "visa", "Visa");
    const first = image();
    showMark(box, "visa", "Visa");
    expect(image()).toBe(first);
  });
});
