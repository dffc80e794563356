import { describe, expect, it } from "vitest";
import { table } from "./command.ts";

describe("a table", () => {
  it("has its columns below each other", () => {
    expect(
      table([
        ["key", "name"],
        ["longer", "shop"],
      ]),
    ).toBe("key     name\nlonger  shop");
  });

  it.each([
    ["\u001b[2J\u001b]0;owned\u0007", "?[2J?]0;owned?"],
    ["\u009b31mred", "?31mred"],
    ["one\r\ntwo\tthree", "one??two?three"],
    ["\u007f", "?"],
    ["\u202egnp.exe", "?gnp.exe"],
    ["a\u200bb\ufeff", "a?b?"],
    ["\u{e0041}", "?"],
  ])("shows nothing that a terminal obeys or hides: %j", (name, shown) => {
    expect(
      table([
        ["name", "state"],
        [name, "live"],
      ]),
    ).toBe(`${"name".padEnd(shown.length)}  state\n${shown.padEnd(4)}  live`);
  });

  it("leaves the letters of every language as they are", () => {
    expect(table([["Zoë & 東京 – שלום"]])).toBe("Zoë & 東京 – שלום");
  });
});
