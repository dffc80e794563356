import { describe, expect, it } from "vitest";
import { table } from "./command.ts";

describe("table", () => {
  it("aligns its columns", () => {
    expect(
      table([
        ["key", "name"],
        ["longer", "shop"],
      ]),
    ).toBe("key     name\nlonger  shop");
  });

  it.each([
    ["\u001b[2J\u001b]0;owned\u0007", "[U+001B][2J[U+001B]]0;owned[U+0007]"],
    ["\u009b31mred", "[U+009B]31mred"],
    ["one\r\ntwo\tthree", "one  two three"],
    ["\u007f", "[U+007F]"],
    ["\u202egnp.exe", "[U+202E]gnp.exe"],
    ["a\u200bb\ufeff", "a[U+200B]b[U+FEFF]"],
    ["\u{e0041}", "[U+E0041]"],
    ["\u3164", "[U+3164]"],
  ])("replaces control and invisible characters with their code points: %j", (name, shown) => {
    expect(
      table([
        ["name", "state"],
        [name, "live"],
      ]),
    ).toBe(`${"name".padEnd(shown.length)}  state\n${shown.padEnd(4)}  live`);
  });

  it("keeps letters of every script", () => {
    expect(table([["Zoë & 東京 – שלום"]])).toBe("Zoë & 東京 – שלום");
  });
});
