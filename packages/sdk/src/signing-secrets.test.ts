/**
 * Several trusted secrets: a rotation from the receiver's side. What one secret must look like is
 * verify-webhook.test.ts's matter.
 */
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
  strangeSecret,
} from "../test/deliver.ts";
import { webhooks } from "./verify-webhook.ts";

const body = eventBody();
const formats = [signOurs, signStandard, sign];

test.each([
  ["before it", [olderSecret]],
  ["during its overlap", [secret, olderSecret]],
  ["during its overlap, the older first", [olderSecret, secret]],
  ["after it", [secret]],
])("whoever trusts both secrets of a rotation verifies what is signed %s", (_when, signedWith) => {
  for (const signed of formats) {
    const headers = signed(body, signedWith);
    expect(webhooks.verify(body, headers, [secret, olderSecret])).toEqual(parsed(body));
    expect(webhooks.verify(body, headers, [strangeSecret, olderSecret, secret])).toEqual(parsed(body));
    for (const one of signedWith) expect(webhooks.verify(body, headers, [one])).toEqual(parsed(body));
  }
});

test.each<[string, string | string[]]>([
  ["the other secret", olderSecret],
  ["a list of the other secret", [olderSecret]],
  ["several others", [olderSecret, strangeSecret, olderSecret]],
])("what is signed with one secret is refused by whoever trusts %s", (_what, trusted) => {
  for (const signed of formats) {
    expect(() => webhooks.verify(body, signed(body), trusted)).toThrow(
      expect.objectContaining({ code: "signature_mismatch" }),
    );
  }
});

test("the tolerance holds for every trusted secret", () => {
  const stale = nowSeconds() - 600;
  for (const signedWith of [[secret], [olderSecret]]) {
    expect(() => webhooks.verify(body, sign(body, signedWith, stale), [secret, olderSecret])).toThrow(
      expect.objectContaining({ code: "timestamp_out_of_tolerance" }),
    );
  }
});

test("up to 8 secrets may be trusted, and the last one counts like the first", () => {
  const list = [...Array<string>(7).fill(strangeSecret), secret];
  expect(webhooks.verify(body, sign(body), list)).toEqual(parsed(body));
});

test.each<[string, unknown[]]>([
  ["nothing", []],
  ["more than 8", Array(9).fill(secret)],
  ["a right one and nothing", [secret, undefined]],
  ["a right one and an empty one", [secret, ""]],
  ["a list in a list", [[secret]]],
])("refuses to trust %s, even where one secret would fit", (_what, list) => {
  // The types forbid some of it; configuration does it.
  expect(() => webhooks.verify(body, sign(body), list as string[])).toThrow(
    expect.objectContaining({ code: "secret_invalid" }),
  );
});
