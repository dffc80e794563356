import { beforeEach, describe, expect, it, vi } from "vitest";
import { declinedAs } from "../test/declined-as.ts";
import { refused, unreachable } from "../test/fake-service.ts";
import { card, challenge, createFlowTest, declined, look, open, pay, processing, succeeded, threeDS } from "../test/flow-test.ts";
import type { CallResult } from "./frame-call.ts";
import type { FlowTest } from "../test/flow-test.ts";
import text from "./texts/en.ts";
import { fill } from "./texts/fill.ts";
import { watchForm } from "./watch-form.ts";

const paid = { outcome: text.form.outcomes.paying };

let t: FlowTest;
beforeEach(async () => {
  t = await createFlowTest();
});

describe("a lost connection", () => {
  beforeEach(() => t.flow.begin());

  it("while paying is looked up before anything else; a payment that went through is shown as that", async () => {
    t.service.on(pay, unreachable);
    t.service.on(open, unreachable, unreachable, t.service.session({ status: "complete" }, succeeded));
    await t.flow.pay(card);
    expect(t.service.paths().filter((path) => path === pay)).toHaveLength(1);
    expect(t.page.main.dataset["result"]).toBe("succeeded");
    expect(t.names()).not.toContain("decline");
  });

  it("while paying lets the customer try again only after the service said that there is no payment", async () => {
    t.service.on(pay, unreachable, t.service.payment(succeeded));
    t.service.on(open, unreachable, t.service.session());
    const seen: unknown[] = [];
    t.atWaits.push(() => seen.push(t.page.notice.textContent, t.page.pay.getAttribute("aria-disabled")));
    await t.flow.pay(card);
    expect(seen).toEqual([text.form.notices.connectionLost.paying, "true"]);
    expect(t.page.notice.textContent).toBe(fill(text.form.notices.notStarted, paid));
    expect(t.page.pay.hasAttribute("aria-disabled")).toBe(false);
    await t.flow.pay(card);
    expect(t.names().at(-1)).toBe("complete");
  });

  it("while paying is not asked about before the card has had time to arrive, or the customer would be told of no charge", async () => {
    t.service.on(pay, unreachable);
    t.service.on(open, t.service.session());
    t.service.on(look, t.service.payment(succeeded));
    t.atWaits.push(() => t.service.on(open, t.service.session({}, processing)));
    await t.flow.pay(card);
    await vi.waitUntil(() => !t.flow.isBusy());
    expect(t.page.main.dataset["result"]).toBe("succeeded");
  });

  it("that lasts leaves no card behind for longer than any form that nobody touches", async () => {
    const form = watchForm(
      t.page,
      t.fields.network,
      () => 0,
      () => {},
    );
    t.fields.fill(card.number, "1234", card.cvc);
    t.service.on(pay, unreachable);
    t.service.on(open, unreachable);
    t.atWaits.push(() => form.clear());
    await t.flow.pay(card);
    expect([t.page.main.dataset["result"], t.page.cvc.value]).toEqual(["unknown", card.cvc]);
    form.clear(); // what the idle minutes do
    expect([t.page.number.value, t.page.expiry.value, t.page.cvc.value]).toEqual(["", "", ""]);
  });

  it("that lasts ends in a page that says so and asks again when told to, never in a decline", async () => {
    t.service.on(pay, unreachable);
    t.service.on(open, unreachable);
    await t.flow.pay(card);
    expect(t.page.main.dataset["result"]).toBe("unknown");
    expect(t.names()).toEqual(["submit", "error"]);
    t.service.on(open, t.service.session({ status: "complete" }, succeeded));
    t.page.result.querySelector("button")?.click();
    await vi.waitFor(() => expect(t.page.main.dataset["result"]).toBe("succeeded"));
  });

  it("at the start offers to try again", async () => {
    t.service.on(open, unreachable);
    await t.flow.refresh();
    await t.flow.begin();
    expect(t.page.main.dataset["result"]).toBe("unreachable");
    t.service.on(open, t.service.session());
    t.page.result.querySelector("button")?.click();
    await vi.waitFor(() => expect(t.shown()).toBe("form"));
    expect(t.page.pay.disabled).toBe(false);
  });

  it("while a payment is followed is waited out", async () => {
    t.service.on(pay, t.service.payment(processing));
    t.service.on(look, unreachable, unreachable, t.service.payment(declined()));
    await t.flow.pay(card);
    expect(t.page.notice.textContent).toBe(declinedAs("insufficient_funds"));
    expect(Math.max(...t.waits)).toBe(2000);
  });
});

describe("code for what comes after Pay that cannot be had", () => {
  beforeEach(() => {
    t.given.isCodeMissing = true;
  });

  it("is wanted when Pay is pressed and not before", async () => {
    await t.flow.begin();
    expect(t.asked).toEqual([]);
    t.service.on(pay, t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.asked).toEqual(["fetch"]);
  });

  it.each([threeDS, challenge, succeeded])(
    "leaves the payment to the service and the customer to a new document: %o",
    async (payment) => {
      await t.flow.begin();
      t.service.on(pay, t.service.payment(payment));
      await expect(t.flow.pay(card)).resolves.toEqual({ type: "failed" });
      expect(t.events.slice(1)).toEqual([["error", { code: "network" }]]);
      expect(t.page.main.dataset["result"]).toBe("unknown");
      // Asked for nothing but the try itself: not for the bank, not for an end.
      expect(t.service.paths()).toEqual([open, pay]);
      t.page.result.querySelector("button")?.click();
      expect(t.asked).toEqual(["fetch", "reload"]);
    },
  );

  it("is not spoken of while the card is on its way, lest the customer leave before it has arrived", async () => {
    await t.flow.begin();
    let answer: (result: CallResult) => void = () => {};
    t.service.on(
      pay,
      new Promise<CallResult>((resolve) => {
        answer = resolve;
      }),
    );
    const paying = t.flow.pay(card);
    await vi.waitFor(() => expect(t.service.paths()).toContain(pay));
    expect(t.shown()).toBe("form");
    answer(t.service.payment(succeeded));
    await paying;
    expect(t.page.main.dataset["result"]).toBe("unknown");
  });

  it("asks for the same when a reload finds the payment, and says it once", async () => {
    t.service.on(open, t.service.session({}, challenge));
    await t.flow.begin();
    await t.flow.refresh();
    expect(t.names()).toEqual(["submit", "error"]);
    expect(t.page.main.dataset["result"]).toBe("unknown");
    expect(t.service.paths()).toEqual([open]);
  });
});

describe("a service that is asked too much, by anyone on the same network,", () => {
  const tooMany = refused("rate_limited", 429);

  it.each([
    ["a payment that the bank thinks about", processing],
    ["the bank's challenge", challenge],
  ])("ends nothing of %s", async (_what, underWay) => {
    await t.flow.begin();
    t.fields.fill(card.number, "1234", card.cvc);
    t.service.on(pay, t.service.payment(underWay));
    t.service.on(open, tooMany);
    t.service.on(look, tooMany, tooMany, t.service.payment(succeeded));
    await expect(t.flow.pay(card)).resolves.toMatchObject({ type: "complete" });
    expect(t.names()).not.toContain("error");
    expect(t.asked).not.toContain("refused");
  });

  it("is asked again after silence, and in the end nobody says more than that nobody knows", async () => {
    await t.flow.begin();
    t.service.on(pay, unreachable);
    t.service.on(open, tooMany);
    await t.flow.pay(card);
    expect(t.events.slice(-1)).toEqual([["error", { code: "network" }]]);
    expect(t.page.main.dataset["result"]).toBe("unknown");
    t.service.on(open, t.service.session({ status: "complete" }, succeeded));
    t.page.result.querySelector("button")?.click();
    await vi.waitFor(() => expect(t.page.main.dataset["result"]).toBe("succeeded"));
  });

  it("at the start is asked again when the customer says so", async () => {
    t.service.on(open, tooMany);
    await t.flow.begin();
    expect(t.events).toEqual([["error", { code: "network" }]]);
    expect([t.page.main.dataset["result"], t.asked]).toEqual(["unreachable", []]);
    t.service.on(open, t.service.session());
    t.page.result.querySelector("button")?.click();
    await vi.waitFor(() => expect(t.shown()).toBe("form"));
  });
});

describe("a payment that a reload finds", () => {
  it.each([
    ["under way", processing, ["submit", "complete", "complete"]],
    ["with its bank's page open", challenge, ["submit", "challengestart", "challengeend", "complete"]],
    ["before it was authenticated", { id: "dec_1", status: "authenticating" } as const, ["submit", "complete"]],
  ])("%s is a try like any other for the host page", async (_what, underWay, names) => {
    t.service.on(open, t.service.session({}, underWay));
    t.service.on(look, t.service.payment(succeeded));
    await t.flow.begin();
    expect(t.names()).toEqual(names);
  });

  it("is told anew after a decline, and once however often the connection breaks", async () => {
    t.service.on(open, t.service.session({}, processing));
    t.service.on(look, refused("payment_invalid", 404), t.service.payment(declined()), t.service.payment(succeeded));
    await t.flow.begin();
    expect(t.names().filter((name) => name === "submit")).toHaveLength(1);
    t.service.on(pay, t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.names().slice(-3)).toEqual(["decline", "submit", "complete"]);
  });

  it("is told again where a card that may not be tried again uncovers another tab's payment", async () => {
    await t.flow.begin();
    t.service.on(pay, t.service.payment(declined({ retryable: false })));
    t.service.on(open, t.service.session({}, { id: "dec_1", status: "authenticating" }));
    t.service.on(look, t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.names()).toEqual(["submit", "decline", "submit", "complete"]);
  });

  it("at its end is no try any more", async () => {
    t.service.on(open, t.service.session({ status: "complete" }, succeeded));
    await t.flow.begin();
    expect(t.names()).toEqual(["complete"]);
  });
});
