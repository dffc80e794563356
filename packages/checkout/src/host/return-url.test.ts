import { expect, it } from "vitest";
import { returnPageUrl } from "./return-url.ts";

it.each([
  ["https://shop.example/done", "https://shop.example/done?session_id=cs_1"],
  ["https://shop.example/done?a=%20b&c", "https://shop.example/done?a=%20b&c&session_id=cs_1"],
  ["https://shop.example/done?", "https://shop.example/done?session_id=cs_1"],
  ["https://shop.example/#/done", "https://shop.example/?session_id=cs_1#/done"],
  ["http://shop.localhost:4242/a?x=1#y?z", "http://shop.localhost:4242/a?x=1&session_id=cs_1#y?z"],
])("appends the session's ID to %s and changes nothing else", (from, to) => {
  expect(returnPageUrl(from, "cs_1")).toBe(to);
});

it.each(["javascript:alert(1)", "data:text/html,x", "/done", ""])("returns null for %j", (address) => {
  expect(returnPageUrl(address, "cs_1")).toBeNull();
});
