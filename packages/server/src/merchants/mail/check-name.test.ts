import { describe, expect, it } from "vitest";
import { ApiError } from "../../platform/errors.ts";
import { checkName, faultOfName } from "./check-name.ts";

describe("a name", () => {
  it.each([
    "Robin Weaver",
    "Kiln & <Daughters>",
    "Loom / Spindle, Inc.",
    "St. Mary's No. 4/5",
    "Cups.example",
    "A.B.C. GmbH & Co. KG",
    "7/11",
    "Wwwhat a shop",
    "Since 1871, Route 66",
    "株式会社。窯",
    "Zoë Łukasz-Åse 2nd",
  ])("is taken: %s", (name) => {
    expect(faultOfName(name)).toBeNull();
  });

  it.each([
    ["https://evil.example", /address/],
    ["Your bank: HTTP://evil", /address/],
    ["www.evil.example", /address/],
    ["Shop (WWW.evil.example)", /address/],
    ["evil.example/pay", /address/],
    ["Pay at evil.example:8443/ now", /address/],
    ["evil.example?pay=1", /address/],
    ["evil.example:8443", /address/],
    ["xn--vil-gna.xn--p1ai/", /address/],
    ["evil\u3002example\uff0fpay", /address/],
    ["\uff57\uff57\uff57\uff0eevil.example", /address/],
    ["write to help@evil.example", /address/],
    ["help\uff20evil", /address/],
    ["oriel_sk_test_", /secret/],
    ["my whsec_abc", /secret/],
    ["4000 0012 3456", /digits/],
    ["Ann 4000.0012-3456 7899", /digits/],
    ["４０００００１２３４５６", /digits/],
  ])("is refused by its field, and not repeated: %s", (name, why) => {
    const refuse = () => checkName(name, "account_name");
    expect(refuse).toThrow(ApiError);
    expect(refuse).toThrow(expect.objectContaining({ code: "parameter_invalid", details: { param: "account_name" } }));
    expect(refuse).toThrow(why);
    expect(refuse).not.toThrow(name);
  });
});
