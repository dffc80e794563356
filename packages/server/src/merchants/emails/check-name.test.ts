import { describe, expect, it } from "vitest";
import { ApiError } from "../../platform/errors.ts";
import { checkName, faultOfName } from "./check-name.ts";

describe("checkName", () => {
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
  ])("accepts %s", (name) => {
    expect(faultOfName(name)).toBeNull();
  });

  it.each([
    ["https://evil.example", /URL or an email address/],
    ["Your bank: HTTP://evil", /URL or an email address/],
    ["www.evil.example", /URL or an email address/],
    ["Shop (WWW.evil.example)", /URL or an email address/],
    ["evil.example/pay", /URL or an email address/],
    ["Pay at evil.example:8443/ now", /URL or an email address/],
    ["evil.example?pay=1", /URL or an email address/],
    ["evil.example:8443", /URL or an email address/],
    ["xn--vil-gna.xn--p1ai/", /URL or an email address/],
    ["evil\u3002example\uff0fpay", /URL or an email address/],
    ["\uff57\uff57\uff57\uff0eevil.example", /URL or an email address/],
    ["write to help@evil.example", /URL or an email address/],
    ["help\uff20evil", /URL or an email address/],
    ["oriel_sk_test_", /secret/],
    ["my whsec_abc", /secret/],
    ["4000 0012 3456", /digits/],
    ["Ann 4000.0012-3456 7899", /digits/],
    ["４０００００１２３４５６", /digits/],
  ])("refuses %s with an error that names the field but doesn't repeat the value", (name, why) => {
    const refuse = () => checkName(name, "account_name");
    expect(refuse).toThrow(ApiError);
    expect(refuse).toThrow(expect.objectContaining({ code: "parameter_invalid", details: { param: "account_name" } }));
    expect(refuse).toThrow(why);
    expect(refuse).not.toThrow(name);
  });
});
