/** Several trusted secrets, as during a rotation. The format of one secret is tested in verify-webhook.test.ts. */
import { expect, test } from "vitest";
import {
  eventBody,
  nowSeconds,
  olderSecret,
  parsed,
  secret,
  sign,
  signOurs,
  signStandard,
  unknownSecret,
} from "../test/deliver.ts";
import { webhooks } from "./verify-webhook.ts";

const body = eventBody();
const formats = [signOurs, signStandard, sign];

test.each([
  ["before the start", [olderSecret]],
  ["during the overlap", [secret, olderSecret]],
  ["with the older secret first in the overlap", [olderSecret, secret]],
  ["after the end", [secret]],
])("accepts webhooks signed %s of a rotation if both secrets are trusted", (_when, signedWith) => {
  for (const signed of formats) {
    const headers = signed(body, signedWith);
    expect(webhooks.verify(body, headers, [secret, olderSecret])).toEqual(parsed(body));
    expect(webhooks.verify(body, headers, [unknownSecret, olderSecret, secret])).toEqual(parsed(body));
    for (const one of signedWith) expect(webhooks.verify(body, headers, [one])).toEqual(parsed(body));
  }
});

test.each<[string, string | string[]]>([
  ["another secret", olderSecret],
  ["a list with another secret", [olderSecret]],
  ["several other secrets", [olderSecret, unknownSecret, olderSecret]],
])("refuses a webhook when the receiver trusts %s", (_what, trusted) => {
  for (const signed of formats) {
    expect(() => webhooks.verify(body, signed(body), trusted)).toThrow(
      expect.objectContaining({ code: "signature_mismatch" }),
    );
  }
});

test("applies the tolerance to every trusted secret", () => {
  const stale = nowSeconds() - 600;
  for (const signedWith of [[secret], [olderSecret]]) {
    expect(() => webhooks.verify(body, sign(body, signedWith, stale), [secret, olderSecret])).toThrow(
      expect.objectContaining({ code: "timestamp_out_of_tolerance" }),
    );
  }
});

test("trusts up to 8 secrets, in any order", () => {
  const list = [...Array<string>(7).fill(unknownSecret), secret];
  expect(webhooks.verify(body, sign(body), list)).toEqual(parsed(body));
});

test.each<[string, unknown[]]>([
  ["nothing", []],
  ["more than 8", Array(9).fill(secret)],
  ["a valid secret and undefined", [secret, undefined]],
  ["a valid secret and an empty one", [secret, ""]],
  ["a nested list", [[secret]]],
])("refuses %s as secrets, even if one matches", (_what, list) => {
  // TypeScript forbids some of these, but configuration can contain them.
  expect(() => webhooks.verify(body, sign(body), list as string[])).toThrow(
    expect.objectContaining({ code: "secret_invalid" }),
  );
});
