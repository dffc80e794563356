import { describe, expect, it } from "vitest";
import { createFingerprint, defaultKeyLifetimeMs, IdempotencyKeys } from "./idempotency.ts";
import { refused, type Reply } from "./messages.ts";

/** Counts how often the request was processed. */
function counter() {
  let count = 0;
  return (): Reply<{ count: number }> => ({ status: 200, body: { count: (count += 1) } });
}

describe("idempotency keys", () => {
  it("return the first response to the same request", () => {
    const keys = new IdempotencyKeys(defaultKeyLifetimeMs);
    const act = counter();
    expect(keys.run("k", "f", 0, act).body).toEqual({ count: 1 });
    expect(keys.run("k", "f", 0, act).body).toEqual({ count: 1 });
    expect(keys.run("other", "f", 0, act).body).toEqual({ count: 2 });
  });

  it("refuse another request with 704", () => {
    const keys = new IdempotencyKeys(defaultKeyLifetimeMs);
    const act = counter();
    keys.run("k", "f", 0, act);
    expect(keys.run("k", "g", 0, act)).toMatchObject({ status: 422, body: { errorCode: "704" } });
    expect(keys.run("k", "f", 0, act).body).toEqual({ count: 1 });
  });

  it("are forgotten after their lifetime, and then the request runs again", () => {
    const keys = new IdempotencyKeys(1_000);
    const act = counter();
    keys.run("k", "f", 0, act);
    expect(keys.run("k", "f", 999, act).body).toEqual({ count: 1 });
    expect(keys.run("k", "f", 1_000, act).body).toEqual({ count: 2 });
    expect(keys.run("k", "f", 1_999, act).body).toEqual({ count: 2 });
  });

  it("aren't used up by a request that is refused before processing", () => {
    const keys = new IdempotencyKeys(1_000);
    expect(keys.run("k", "f", 0, () => refused(422, "167", "No."))).toMatchObject({ status: 422 });
    expect(keys.run("k", "g", 0, counter()).body).toEqual({ count: 1 });
  });

  it("have 1 to 64 characters", () => {
    const keys = new IdempotencyKeys(1_000);
    const act = counter();
    expect(keys.run("k".repeat(65), "f", 0, act)).toMatchObject({ status: 422, body: { errorCode: "702" } });
    expect(keys.run("", "f", 0, act)).toMatchObject({ status: 422 });
    expect(keys.run("k".repeat(64), "f", 0, act).body).toEqual({ count: 1 });
  });

  it("aren't required", () => {
    const keys = new IdempotencyKeys(1_000);
    const act = counter();
    keys.run(undefined, "f", 0, act);
    expect(keys.run(undefined, "f", 0, act).body).toEqual({ count: 2 });
  });
});

describe("a fingerprint", () => {
  const fingerprint = createFingerprint(Buffer.alloc(32, 2));
  const body = { amount: 1, paymentMethod: { number: "4242424242424242", cvc: "737" } };

  it("depends on the operation and on everything in the body, but not on the digits of the CVC", () => {
    const expected = fingerprint("pay", body);
    const { number } = body.paymentMethod;
    expect(fingerprint("pay", { ...body, paymentMethod: { number, cvc: "738" } })).toBe(expected);
    expect(fingerprint("pay", { ...body, paymentMethod: { number } })).not.toBe(expected);
    expect(fingerprint("refund", body)).not.toBe(expected);
    expect(fingerprint("pay", { ...body, amount: 2 })).not.toBe(expected);
    expect(fingerprint("pay", { ...body, paymentMethod: { number: "4111111111111111" } })).not.toBe(expected);
  });

  it("can't be made without the key", () => {
    expect(createFingerprint(Buffer.alloc(32, 3))("pay", body)).not.toBe(fingerprint("pay", body));
  });
});
