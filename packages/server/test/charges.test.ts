import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "./setup/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
afterAll(() => console.log(service.log.join("")));

const order = { amount: 4900, currency: "eur" };

async function decide(payment_method_id: string, more: object = {}) {
  return (await service.call("POST", "/api/v1/decisions", { ...order, payment_method_id, ...more })).body;
}

describe("a charge", () => {
  it("takes the money once, with an approved decision", async () => {
    const decision = await decide("pm_card_visa");
    expect(decision).toMatchObject({ object: "decision", status: "approved", amount: 4900, livemode: false });

    const charge = await service.call("POST", "/api/v1/charges", {
      ...order,
      payment_method_id: "pm_card_visa",
      decision_id: decision.id,
    });
    expect(charge.status).toBe(200);
    expect(charge.body).toMatchObject({
      object: "charge",
      status: "succeeded",
      amount: 4900,
      amount_captured: 4900,
      failure: null,
    });

    expect((await service.call("GET", `/api/v1/decisions/${decision.id}`)).body).toMatchObject({
      status: "consumed",
      charge_id: charge.body.id,
    });
    expect((await service.call("GET", `/api/v1/charges/${charge.body.id}`)).body).toEqual(charge.body);
    const listed = await service.call("GET", `/api/v1/charges?decision_id=${decision.id}`);
    expect(listed.body).toEqual({ object: "list", data: [charge.body], has_more: false });
    expect(await service.bankBooks()).toHaveLength(1);
  });
});
