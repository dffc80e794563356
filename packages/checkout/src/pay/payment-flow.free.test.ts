import { beforeEach, describe, expect, it } from "vitest";
import { refused, sessionId, unreachable } from "../../test/fake-service.ts";
import { card, createFlowTest, open, pay, sentence, succeeded } from "../../test/flow-test.ts";
import type { FlowTest } from "../../test/flow-test.ts";
import { checkField, checkForm } from "../form/check-form.ts";
import text from "../texts/en.ts";

const complete = `POST /frame/sessions/${sessionId}/complete`;
const free = { amount: 0, payment_status: "no_payment_required" } as const;
const needsNoCard = () => document.documentElement.hasAttribute("data-no-card");

let t: FlowTest;
beforeEach(async () => {
  t = await createFlowTest();
});

describe("an order that costs nothing", () => {
  beforeEach(async () => {
    t.service.on(open, t.service.session(free));
    await t.flow.begin();
  });

  it("is placed without a card, for the version that the customer saw", async () => {
    expect([t.page.payLabel.textContent, t.page.amount.textContent, needsNoCard()]).toEqual([
      "Place order",
      "€0.00",
      true,
    ]);
    expect(checkForm(t.page, 0)).toEqual({});
    t.service.on(complete, t.service.payment(succeeded, { status: "complete" }));
    expect(await t.flow.pay(null)).toEqual({ type: "complete", sessionId });
    expect(t.service.requests.at(-1)?.body).toEqual({ payment_round: 0, version: 1 });
    expect(t.names()).toEqual(["submit", "complete"]);
    expect(t.page.result.textContent).toContain("Order placed");
  });

  it("is looked up after a lost response, and shown as placed if it was", async () => {
    t.service.on(complete, unreachable);
    t.service.on(open, unreachable, t.service.session({ ...free, status: "complete" }, null, false));
    expect(await t.flow.pay(null)).toEqual({ type: "complete", sessionId });
    expect(t.page.result.textContent).toContain("Order placed");
    expect(t.service.requests.at(-1)?.body).toMatchObject({ lost_request: expect.stringMatching(/^[\da-f-]{36}$/) });
  });

  it("can be placed again if the request never arrived", async () => {
    t.service.on(complete, unreachable, t.service.payment(succeeded, { status: "complete" }));
    t.service.on(open, t.service.session({ ...free, payment_round: 1 }, null, false));
    expect(await t.flow.pay(null)).toMatchObject({ type: "decline", message: sentence("notStarted") });
    expect(await t.flow.pay(null)).toEqual({ type: "complete", sessionId });
    expect(t.service.requests.at(-1)?.body).toEqual({ payment_round: 1, version: 1 });
  });

  it("isn't placed once it costs something: the fields come back with what was typed, and the card is asked for", async () => {
    t.fields.fill(card.number, "12/34", card.cvc);
    t.service.on(complete, refused("session_changed"));
    t.service.on(open, t.service.session({ version: 2 }));
    expect(await t.flow.pay(null)).toEqual({ type: "session_changed" });
    expect([t.page.payLabel.textContent, needsNoCard(), t.page.cvc.value]).toEqual(["Pay €49.00", false, card.cvc]);
    expect(t.page.notice.textContent).toContain("Your order has changed.");
    expect(t.service.paths()).not.toContain(pay);
  });

  it("has no errors in fields that are hidden", async () => {
    t.service.on(open, t.service.session({ version: 2 }), t.service.session({ ...free, version: 3 }));
    await t.flow.refresh();
    t.page.number.value = "4242";
    expect(checkField(t.page, "number", 0)).toBe("numberIncomplete");
    await t.flow.refresh();
    expect(checkField(t.page, "number", 0)).toBe(null);
  });

  it("leaves the focus where it is outside the fields", async () => {
    const code = document.createElement("input");
    t.page.main.append(code);
    code.focus();
    await t.flow.refresh();
    expect(document.activeElement).toBe(code);
  });

  it("moves the focus from a field that disappears to the button", async () => {
    t.service.on(open, t.service.session({ version: 2 }), t.service.session({ ...free, version: 3 }));
    await t.flow.refresh();
    t.page.cvc.focus();
    await t.flow.refresh();
    expect(document.activeElement).toBe(t.page.pay);
  });
});

it("an order that costs nothing needs none of the bank's steps", async () => {
  t = await createFlowTest(undefined, Promise.resolve(false));
  t.service.on(open, t.service.session(free));
  await t.flow.begin();
  t.service.on(complete, t.service.payment(succeeded, { status: "complete" }));
  expect(await t.flow.pay(null)).toEqual({ type: "complete", sessionId });
});

it("after a failed start, the focus goes to the button of an order that costs nothing", async () => {
  t.service.on(open, unreachable, t.service.session(free));
  await t.flow.begin();
  t.page.result.querySelector("button")?.focus();
  await t.flow.online();
  expect(document.activeElement).toBe(t.page.pay);
});

it("a card that's saved is asked for even if the order costs nothing", async () => {
  t.service.on(open, t.service.session({ ...free, save_payment_method: true }));
  await t.flow.begin();
  expect([t.page.needsCard, needsNoCard(), t.page.payLabel.textContent]).toEqual([true, false, "Place order"]);
  expect(t.page.saveNotice.textContent).toMatch(/^Nothing is charged|^You won't be charged|not be charged/);
  t.service.on(pay, t.service.payment(succeeded, { status: "complete" }));
  await t.flow.pay(card);
  expect(t.page.result.textContent).toContain(text.form.results.placed[0]);
});
