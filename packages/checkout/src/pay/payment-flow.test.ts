import { beforeEach, describe, expect, it, vi } from "vitest";
import { declinedAs } from "../../test/declined-as.ts";
import { refused, sessionId, unreachable } from "../../test/fake-service.ts";
import {
  card,
  createFlowTest,
  declined,
  open,
  pay,
  poll,
  processing,
  sentence,
  succeeded,
} from "../../test/flow-test.ts";
import type { FlowTest } from "../../test/flow-test.ts";
import text from "../texts/en.ts";
import { fill } from "../texts/fill.ts";

const paid = { outcome: text.form.outcomes.paying };

let t: FlowTest;
beforeEach(async () => {
  t = await createFlowTest();
});

describe("paying", () => {
  beforeEach(async () => {
    await t.flow.begin();
    t.fields.fill(card.number, "1234", card.cvc);
  });

  it("sends the card encrypted, once, and tells the host page the outcome", async () => {
    t.service.on(pay, t.service.payment(succeeded, { status: "complete" }));
    await t.flow.pay(card);
    const sent = JSON.stringify(t.service.requests);
    expect(sent).not.toContain(card.number);
    expect(t.service.requests[1]?.body).toMatchObject({ challenge_window_size: "02" });
    expect(t.service.requests[1]?.token).toBe("token-1");
    expect(t.events).toEqual([
      ["submit", {}],
      ["complete", { sessionId, status: "complete", returnUrl: `https://shop.example/done?session_id=${sessionId}` }],
    ]);
    expect(t.page.main.dataset["result"]).toBe("succeeded");
    expect([t.page.number.value, t.page.cvc.value]).toEqual(["", ""]);
  });

  it("makes one payment from a double press", async () => {
    t.service.on(pay, t.service.payment(succeeded));
    await Promise.all([t.flow.pay(card), t.flow.pay(card), t.flow.pay(card)]);
    expect(t.service.paths().filter((path) => path === pay)).toHaveLength(1);
    expect(t.names().filter((name) => name === "complete")).toHaveLength(1);
  });

  it("sends a stale card message again, silently", async () => {
    t.service.on(pay, refused("card_message_stale"), t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.service.paths().filter((path) => path === pay)).toHaveLength(2);
    expect(t.names()).toEqual(["submit", "complete"]);
  });

  it("doesn't renew it if the browser sent the first message twice and one was accepted", async () => {
    t.service.on(pay, refused("card_message_stale"));
    t.service.on(open, t.service.session({ status: "complete" }, succeeded, true));
    await t.flow.pay(card);
    expect(t.service.paths().filter((path) => path === pay)).toHaveLength(1);
    expect(t.page.main.dataset["result"]).toBe("succeeded");
  });

  it("renews it only once, and if the second is stale too, checks the outcome and says that nothing was charged", async () => {
    t.service.on(pay, refused("card_message_stale"));
    t.service.on(open, t.service.session({}, null, false));
    await t.flow.pay(card);
    expect(t.service.paths().filter((path) => path === pay)).toHaveLength(2);
    expect(t.page.notice.textContent).toBe(fill(text.form.notices.notStarted, paid));
    expect(t.shown()).toBe("form");
    expect(t.names()).toEqual(["submit", "decline"]);
  });

  it("says that only test cards are accepted, if the service says so", async () => {
    t.service.on(pay, refused("not_a_test_card"));
    await t.flow.pay(card);
    expect(t.page.notice.textContent).toBe(fill(text.form.notices.testCardsOnly, paid));
    expect(t.shown()).toBe("form");
  });

  it("keeps everything but the security code after a decline, and lets the customer pay again", async () => {
    t.service.on(pay, t.service.payment(declined(), { attempts_left: 4 }), t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.page.notice.textContent).toBe(declinedAs("insufficient_funds"));
    expect([t.page.number.value, t.page.cvc.value]).toEqual(["4242 4242 4242 4242", ""]);
    expect(t.events.at(-1)).toEqual([
      "decline",
      {
        code: "insufficient_funds",
        message: sentence("insufficient_funds"),
        retryable: true,
        attempt: 1,
        attemptsLeft: 4,
      },
    ]);
    await t.flow.pay(card);
    expect(t.names().at(-1)).toBe("complete");
  });

  it("closes the form after the last attempt", async () => {
    t.service.on(pay, t.service.payment(declined({ retryable: false }), { status: "expired", attempts_left: 0 }));
    await t.flow.pay(card);
    expect(t.page.main.dataset["result"]).toBe("ended");
    expect(t.page.number.value).toBe("");
  });

  it("passes a server-confirmed payment to the host page", async () => {
    t.service.on(
      pay,
      t.service.payment({
        id: "dec_1",
        status: "requires_confirmation",
        payment_method_id: "pm_1",
        decision_id: "dec_1",
      }),
    );
    await t.flow.pay(card);
    expect(t.events.at(-1)?.[1]).toMatchObject({
      status: "requires_confirmation",
      paymentMethodId: "pm_1",
      decisionId: "dec_1",
    });
    expect(t.page.main.dataset["result"]).toBe("requires_confirmation");
  });

  it("says not to pay again while the outcome is unknown, and still learns the outcome", async () => {
    t.service.on(pay, t.service.payment(processing));
    t.service.on(poll, ...Array.from({ length: 4 }, () => t.service.payment(processing)), t.service.payment(succeeded));
    const said: (string | undefined)[] = [];
    const observer = new MutationObserver(() => said.push(t.page.main.dataset["result"]));
    observer.observe(t.page.main, { attributes: true, attributeFilter: ["data-result"] });
    await t.flow.pay(card);
    await vi.waitFor(() => expect(said).toEqual(["processing", "succeeded"]));
    expect(
      t.events.filter(([name]) => name === "complete").map(([, detail]) => (detail as { status: string }).status),
    ).toEqual(["processing", "complete"]);
  });

  it("asks the customer to wait after too many attempts", async () => {
    t.service.on(pay, refused("rate_limited", 429));
    await t.flow.pay(card);
    expect(t.page.notice.textContent).toBe(fill(text.form.notices.rateLimited, paid));
    expect(t.page.pay.hasAttribute("aria-disabled")).toBe(false);
  });
});

describe("the result of an attempt", () => {
  beforeEach(() => t.flow.begin());

  const failed = (name: string, code = "try_again") => ({
    type: "decline",
    code,
    message: sentence(name),
    retryable: true,
  });
  it.each([
    ["complete", () => t.service.payment(succeeded, { status: "complete" }), { type: "complete", sessionId }],
    [
      "requires_confirmation",
      () =>
        t.service.payment({
          id: "dec_1",
          status: "requires_confirmation",
          payment_method_id: "pm_1",
          decision_id: "dec_1",
        }),
      { type: "requires_confirmation", sessionId },
    ],
    [
      "decline",
      () => t.service.payment(declined()),
      { type: "decline", code: "insufficient_funds", message: sentence("insufficient_funds"), retryable: true },
    ],
    ["canceled", () => t.service.payment(declined({ reason: "authentication_canceled" })), { type: "canceled" }],
    ["decline, if there were too many requests", () => refused("rate_limited", 429), failed("rateLimited")],
    [
      "decline, if only test cards are accepted",
      () => refused("not_a_test_card"),
      failed("testCardsOnly", "check_card"),
    ],
    ["decline, if a billing detail isn't accepted", () => refused("parameter_invalid"), failed("notAccepted")],
  ])("is %s", async (_what, answer, submission) => {
    t.service.on(pay, answer());
    await expect(t.flow.pay(card)).resolves.toEqual(submission);
  });

  it("is `busy` while another attempt runs, which continues", async () => {
    t.service.on(pay, t.service.payment(succeeded));
    const first = t.flow.pay(card);
    await expect(t.flow.pay(card)).resolves.toEqual({ type: "busy" });
    await expect(first).resolves.toEqual({ type: "complete", sessionId });
  });

  it("is `processing` once the customer has been told to wait; an event reports the outcome later", async () => {
    t.service.on(pay, t.service.payment(processing));
    t.service.on(poll, ...Array.from({ length: 4 }, () => t.service.payment(processing)), t.service.payment(succeeded));
    await expect(t.flow.pay(card)).resolves.toEqual({ type: "processing", sessionId });
    await vi.waitFor(() => expect(t.page.main.dataset["result"]).toBe("succeeded"));
  });

  it("is the outcome that was looked up after a lost response", async () => {
    t.service.on(pay, unreachable);
    t.service.on(open, t.service.session({ status: "complete" }, succeeded));
    await expect(t.flow.pay(card)).resolves.toEqual({ type: "complete", sessionId });
  });

  it("has the session's attempt number, not this page's", async () => {
    t.service.on(pay, t.service.payment(declined(), { attempts_left: 2 }));
    await t.flow.pay(card);
    expect(t.events.at(-1)).toMatchObject(["decline", { attempt: 3, attemptsLeft: 2 }]);
  });

  it("gives the host page our sentence, not the bank's message to the customer", async () => {
    t.service.on(pay, t.service.payment(declined({ cardholder_info: "Call Ms Weber" })));
    await t.flow.pay(card);
    expect(t.page.notice.textContent).toContain("Call Ms Weber");
    expect(JSON.stringify(t.events)).not.toContain("Weber");
  });
});

it("sends the billing details with the card, if there are any", async () => {
  await t.flow.begin();
  t.service.on(pay, t.service.payment(declined()));
  await t.flow.pay(card);
  t.given.billing = { name: "A. Customer", country: "DE" };
  await t.flow.pay(card);
  const [first, second] = t.service.requests.filter(({ path }) => path === "/frame/payments");
  expect(first?.body).not.toHaveProperty("billing_details");
  expect(second?.body).toMatchObject({ billing_details: { name: "A. Customer", country: "DE" } });
});
