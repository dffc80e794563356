import { expect, it } from "vitest";
import { nearestWord } from "./nearest-word.ts";

const words = ["payment.succeeded", "payment_failed", "refund.succeeded", "ping"];

it.each([
  ["payment.suceeded", "payment.succeeded"],
  ["payment_succeeded", "payment.succeeded"],
  ["refund.success", "refund.succeeded"],
  ["pong", "ping"],
  ["ping", "ping"],
])("corrects %s to %s", (typed, meant) => expect(nearestWord(typed, words)).toBe(meant));

it.each(["", "x", "pxyz", "invoice.paid", "payment.succeeded.".repeat(10)])("suggests nothing for %j", (typed) =>
  expect(nearestWord(typed, words)).toBeNull(),
);
