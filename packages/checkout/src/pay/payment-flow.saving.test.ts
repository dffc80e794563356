import { beforeEach, describe, expect, it } from "vitest";
import { declinedAs } from "../../test/declined-as.ts";
import { sessionId, setup, unreachable } from "../../test/fake-service.ts";
import {
  authenticate,
  card,
  challenge,
  createFlowTest,
  declined,
  open,
  pay,
  poll,
  refreshToEnd,
  sentence,
  succeeded,
  threeDS,
} from "../../test/flow-test.ts";
import type { FlowTest } from "../../test/flow-test.ts";
import text from "../texts/en.ts";
import { fill } from "../texts/fill.ts";

const saved = { outcome: text.form.outcomes.saving };

let t: FlowTest;
beforeEach(async () => {
  t = await createFlowTest();
});

describe("saving a card", () => {
  beforeEach(async () => {
    t.service.on(open, t.service.session(setup));
    await t.flow.begin();
    t.fields.fill(card.number, "1234", card.cvc);
  });

  it("sends the card like a payment, and reports `complete` to the host page", async () => {
    expect([t.page.payLabel.textContent, t.page.amount.hidden]).toEqual([text.form.save, true]);
    t.service.on(pay, t.service.payment(succeeded, { status: "complete" }));
    await t.flow.pay(card);
    expect(t.service.paths()).toEqual([open, pay]);
    expect(JSON.stringify(t.service.requests)).not.toContain(card.number);
    expect(t.events).toEqual([
      ["submit", {}],
      ["complete", { sessionId, status: "complete", returnUrl: `https://shop.example/done?session_id=${sessionId}` }],
    ]);
    expect(t.page.result.textContent).toContain("Card saved");
    expect([t.page.number.value, t.page.cvc.value]).toEqual(["", ""]);
  });

  it("handles the bank's challenge", async () => {
    t.service.on(pay, t.service.payment(threeDS));
    t.service.on(authenticate, t.service.payment(challenge));
    t.service.on(poll, t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.names()).toEqual(["submit", "challengestart", "challengeend", "complete"]);
    expect(t.page.result.textContent).toContain("Card saved");
  });

  it("says that a declined card wasn't saved, and accepts another card", async () => {
    t.service.on(
      pay,
      t.service.payment(declined({ reason: "declined" }), { attempts_left: 4 }),
      t.service.payment(succeeded),
    );
    await t.flow.pay(card);
    expect(t.page.notice.textContent).toBe(declinedAs("declined", "saving"));
    expect(t.page.payLabel.textContent).toBe(text.form.save);
    expect(t.events.at(-1)).toEqual([
      "decline",
      { code: "declined", message: sentence("declined"), retryable: true, attempt: 1, attemptsLeft: 4 },
    ]);
    await t.flow.pay(card);
    expect(t.names().at(-1)).toBe("complete");
  });

  it("after a lost response, checks the outcome with texts about saving before the card can be sent again", async () => {
    t.service.on(pay, unreachable);
    t.service.on(open, unreachable, t.service.session(setup));
    const seen: unknown[] = [];
    t.atWaits.push(() => seen.push(t.page.notice.textContent, t.page.pay.getAttribute("aria-disabled")));
    await t.flow.pay(card);
    expect(seen).toEqual([text.form.notices.connectionLost.saving, "true"]);
    expect(t.page.notice.textContent).toBe(fill(text.form.notices.notStarted, saved));
    expect(t.service.paths().filter((path) => path === pay)).toHaveLength(1);
  });

  it("shows the card as saved after a reload", async () => {
    t.service.on(open, t.service.session({ ...setup, status: "complete" }, succeeded));
    await refreshToEnd(t);
    expect(t.page.result.textContent).toContain("Card saved");
    expect(t.names()).toEqual(["complete"]);
  });
});

it("shows that a payment keeps the card, and ends it like any other", async () => {
  t.service.on(open, t.service.session({ save_payment_method: true }));
  await t.flow.begin();
  expect(t.page.saveNotice.textContent).toBe(fill(text.form.alsoSaved, { merchant: "Fernweh" }));
  t.service.on(pay, t.service.payment(succeeded, { status: "complete" }));
  await t.flow.pay(card);
  expect(t.events.at(-1)).toEqual([
    "complete",
    { sessionId, status: "complete", returnUrl: `https://shop.example/done?session_id=${sessionId}` },
  ]);
  expect(t.page.result.textContent).toContain("Payment complete");
});
