import { expect, it } from "vitest";
import { newId } from "../../packages/server/src/platform/ids.ts";
import { digestOf, Journal } from "./journal.ts";

const tenant = { accountNo: 1, livemode: false };
const now = new Date("2026-06-01T00:00:00Z");

it("replaces IDs by numbers in the order of their appearance", () => {
  const [first, second, refund] = [newId("ch", now, tenant), newId("ch", now, tenant), newId("re", now, tenant)];
  const journal = new Journal(() => 93_784_005);
  journal.note(`${second} ${refund} ${second}`);
  journal.note(`${first} and ${second}`);
  expect(journal.lines).toEqual(["1d 02:03:04.005  ch_1 re_1 ch_1", "1d 02:03:04.005  ch_2 and ch_1"]);
});

it("has a digest that depends on each line", () => {
  expect(digestOf(["a", "b"])).toBe(digestOf(["a", "b"]));
  expect(digestOf(["a", "b"])).not.toBe(digestOf(["a", "c"]));
});
