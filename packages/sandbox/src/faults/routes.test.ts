import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ARes } from "@oriel/protocol/threeds";
import {
  areqFor,
  base64url,
  cardRequest,
  createTestBank,
  creqFor,
  get,
  post,
  postForm,
  readForm,
  remove,
} from "../../test/bank-client.ts";
import { listenForResults } from "../../test/results-listener.ts";

let bank: FastifyInstance;
beforeEach(async () => {
  bank = await createTestBank();
});
afterEach(() => bank.close());

const address = "/sandbox/faults";
const rule = { match: { kind: "authorization", last4: "4242", probability: 1 }, fault: "error_before", times: 2 };
const other = { match: {}, fault: "late", ms: 50 };

test("appends rules, lists them with their strikes, and deletes them", async () => {
  expect((await get(bank, address)).json()).toEqual({ rules: [] });
  await post(bank, address, { rules: [rule] });
  const added = await post(bank, address, { rules: [other] });
  expect(added.statusCode).toBe(200);
  const rules = [
    { ...rule, struck: 0 },
    { ...other, struck: 0 },
  ];
  expect(added.json()).toEqual({ rules });

  expect((await post(bank, "/acquirer/authorizations", cardRequest("4242424242424242"))).statusCode).toBe(500);
  expect((await get(bank, address)).json()).toEqual({ rules: [{ ...rule, struck: 1 }, rules[1]] });

  expect((await remove(bank, address)).json()).toEqual({ rules: [] });
  expect((await get(bank, address)).json()).toEqual({ rules: [] });
  expect((await post(bank, "/acquirer/authorizations", cardRequest("4242424242424242"))).statusCode).toBe(200);
});

test.each([null, "wrong"])("refuses the key %s", async (key) => {
  for (const response of [
    await post(bank, address, { rules: [rule] }, key),
    await get(bank, address, key),
    await remove(bank, address, key),
  ]) {
    expect(response.statusCode).toBe(401);
  }
  expect((await get(bank, address)).json()).toEqual({ rules: [] });
});

test.each<[string, unknown]>([
  ["an object that isn't a list", rule],
  ["an empty list", { rules: [] }],
  ["no match", { rules: [{ fault: "down" }] }],
  ["no fault", { rules: [{ match: {} }] }],
  ["an unknown fault", { rules: [{ match: {}, fault: "explode" }] }],
  ["an unknown kind", { rules: [{ match: { kind: "payout" }, fault: "down" }] }],
  ["an unknown field to match", { rules: [{ match: { amount: 1 }, fault: "down" }] }],
  ["an unknown field", { rules: [{ match: {}, fault: "down", after: 3 }] }],
  ["a whole card number", { rules: [{ match: { last4: "4242424242424242" }, fault: "down" }] }],
  ["a probability of 0", { rules: [{ match: { probability: 0 }, fault: "down" }] }],
  ["a probability in percent", { rules: [{ match: { probability: 10 }, fault: "down" }] }],
  ["`times` of 0", { rules: [{ match: {}, fault: "down", times: 0 }] }],
  ["a delay that's longer than any client waits", { rules: [{ match: {}, fault: "late", ms: 290_001 }] }],
  ["a delay for a fault without one", { rules: [{ match: {}, fault: "down", ms: 5 }] }],
  ["a late lookup", { rules: [{ match: { kind: "lookup" }, fault: "late" }] }],
  ["a late result", { rules: [{ match: { kind: "result" }, fault: "late" }] }],
  ["a result matched by card", { rules: [{ match: { kind: "result", last4: "3184" }, fault: "answer_twice" }] }],
  ["one bad rule after a good one", { rules: [rule, { match: { kind: "lookup" }, fault: "late" }] }],
])("refuses %s with a message that names the location, and adds no rule", async (_what, body) => {
  const response = await post(bank, address, JSON.stringify(body));
  expect(response.statusCode).toBe(400);
  expect(response.json()).toEqual({ error: { message: expect.stringMatching(/^body/) } });
  expect(response.body).not.toContain("4242");
  expect((await get(bank, address)).json()).toEqual({ rules: [] });
});

test("answer_twice sends a challenge's result twice, and the second response changes nothing", async () => {
  const results = await listenForResults();
  const respond = results.respond;
  results.respond = async (rreq) =>
    results.received.length === 1 ? respond(rreq) : { status: 200, body: '{"messageType":"Erro"}' };
  await post(bank, address, { rules: [{ match: { kind: "result" }, fault: "answer_twice", times: 1 }] });

  const areq = areqFor("4000002760003184", { threeDSServerURL: results.url });
  const ares: ARes = (await post(bank, "/directory-server", areq)).json();
  const form = readForm((await postForm(bank, "/acs/challenge", { creq: base64url(creqFor(ares)) })).body);
  const page = await postForm(bank, form.action, { ...form.fields, action: "submit", code: "111111" });

  expect(results.received).toHaveLength(2);
  expect(results.received[1]?.rreq).toEqual(results.received[0]?.rreq);
  expect(Object.keys(readForm(page.body).fields)).toEqual(["cres"]);
  const { authentications } = (await get(bank, "/directory-server/authentications")).json();
  expect(authentications).toMatchObject([{ result: { transStatus: "Y", delivered: true } }]);
  await results.close();
});
