import { beforeEach, describe, expect, it } from "vitest";
import { enter } from "../../../test/enter.ts";
import { loadFirstPage } from "../../../test/load-page.ts";
import type { FirstPage } from "../../page/page.ts";

let page: FirstPage & Record<"number" | "expiry" | "cvc", HTMLInputElement>;
beforeEach(() => {
  const first = loadFirstPage();
  page = { ...first, number: first.find("number"), expiry: first.find("expiry"), cvc: first.find("cvc") };
});

describe("typing before the later code has loaded", () => {
  it("is formatted like all later input", () => {
    enter(page.number, "378282246310005");
    enter(page.expiry, "429");
    enter(page.cvc, "12a3");
    expect([page.number.value, page.expiry.value, page.cvc.value]).toEqual(["3782 822463 10005", "04 / 29", "123"]);
  });

  it("allows as many digits as the longest card number", () => {
    enter(page.number, "5555555555554444999999");
    enter(page.cvc, "12345");
    expect([page.number.value, page.cvc.value]).toEqual(["5555 5555 5555 4444 999", "1234"]);
  });

  it("uses the brand's length once the later code has set it", () => {
    page.typing.longest = (digits) => ({ number: digits.startsWith("5") ? 16 : 19, cvc: 3 });
    enter(page.number, "5555555555554444999999");
    enter(page.cvc, "12345");
    expect([page.number.value, page.cvc.value]).toEqual(["5555 5555 5555 4444", "123"]);
  });
});

it("reads values that were set without an event", () => {
  page.number.value = "4242-4242 4242.4242";
  page.expiry.value = "2034-12";
  page.cvc.value = "١٢٣";
  expect(page.typing.read()).toEqual({ number: "4242424242424242", expiry: "12 / 34", cvc: "123" });
});

describe("text that an input method is composing", () => {
  const compose = (input: HTMLInputElement, value: string) => {
    input.value = value;
    input.dispatchEvent(
      new InputEvent("input", { inputType: "insertCompositionText", isComposing: true, bubbles: true }),
    );
  };

  it("isn't formatted until the composition ends", () => {
    compose(page.number, "４２４２４２");
    compose(page.expiry, "１２３");
    expect([page.number.value, page.expiry.value]).toEqual(["４２４２４２", "１２３"]);
    expect(page.typing.read()).toMatchObject({ number: "424242", expiry: "12 / 3" });
    for (const input of [page.number, page.expiry])
      input.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true }));
    expect([page.number.value, page.expiry.value]).toEqual(["4242 42", "12 / 3"]);
  });
});

describe("deleting a digit", () => {
  it.each([
    ["before a space, along with the space", "42424242", "deleteContentBackward", 4, "4244 242", 3],
    ["after a space, along with the space", "42425678", "deleteContentForward", 4, "4242 678", 5],
    ["and regrouping the rest", "782 822463 10005", "deleteContentForward", 0, "7828 2246 3100 05", 0],
    ["in the middle of a group", "4242 442", "deleteContentBackward", 6, "4242 442", 6],
    ["at the end", "4242 ", "deleteContentBackward", 5, "4242", 4],
  ])("deletes only that digit: %s", (_which, left, kind, caret, value, after) => {
    enter(page.number, left, kind, caret);
    expect([page.number.value, page.number.selectionStart]).toEqual([value, after]);
  });
});

describe("input by a script", () => {
  /** Only browsers create trusted events. */
  const dispatch = (event: Event, isTrusted = true) =>
    page.number.dispatchEvent(Object.defineProperty(event, "isTrusted", { value: isTrusted }));
  const insert = (inputType: string, isTrusted?: boolean) =>
    dispatch(new InputEvent("input", { bubbles: true, inputType }), isTrusted);

  it("is recognized by text that is inserted without a key", () => {
    expect(page.typing.isScripted).toBeUndefined();
    insert("insertText");
    dispatch(new Event("change", { bubbles: true }));
    expect(page.typing.isScripted).toBe(true);
  });

  it.each<[string, () => void]>([
    ["a key", () => dispatch(new KeyboardEvent("keydown", { bubbles: true }))],
    ["an extension", () => insert("insertText", false)],
    ["autofill in Chromium", () => dispatch(new Event("input", { bubbles: true }))],
    ["autofill in Firefox", () => insert("insertReplacementText")],
    ["pasting", () => insert("insertFromPaste")],
    ["an input method", () => insert("insertCompositionText")],
  ])("isn't mixed up with input by %s, even if a script goes on", (_what, act) => {
    insert("insertText");
    act();
    insert("insertText");
    expect(page.typing.isScripted).toBe(false);
  });

  it("isn't our own event, with which the later code checks the fields", () => {
    dispatch(new Event("change"), false);
    expect(page.typing.isScripted).toBeUndefined();
  });
});
