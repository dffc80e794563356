import { getByRole } from "@testing-library/dom";
import { beforeEach, describe, expect, it } from "vitest";
import { declinedAs } from "../../test/declined-as.ts";
import { sessionId, unreachable } from "../../test/fake-service.ts";
import {
  authenticate,
  cancel,
  card,
  challenge,
  createFlowTest,
  declined,
  open,
  pay,
  poll,
  processing,
  refreshToEnd,
  succeeded,
  threeDS,
} from "../../test/flow-test.ts";
import type { FlowTest } from "../../test/flow-test.ts";
import english from "../texts/en.ts";

const { after: text } = english;

let t: FlowTest;
beforeEach(async () => {
  t = await createFlowTest();
});

describe("paying with 3-D Secure", () => {
  beforeEach(() => t.flow.begin());

  it("runs the hidden 3DS Method, shows the challenge, and trusts only the service", async () => {
    t.service.on(pay, t.service.payment(threeDS));
    t.service.on(authenticate, t.service.payment(challenge));
    t.service.on(poll, t.service.payment(challenge), t.service.payment(challenge), t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.orders.join()).toBe("open /3ds/run/dec_1,method,close,open /3ds/run/dec_1,challenge,close,release");
    expect(t.events.slice(1)).toEqual([
      ["challengestart", { windowSize: "02", presentation: "inline" }],
      ["challengeend", { outcome: "authenticated" }],
      ["complete", { sessionId, status: "complete", returnUrl: `https://shop.example/done?session_id=${sessionId}` }],
    ]);
    expect(t.page.bank.childElementCount).toBe(0);
  });

  it("continues after a message from the bank's page if the service says that the challenge isn't over", async () => {
    t.service.on(pay, t.service.payment(challenge));
    t.service.on(
      poll,
      ...Array.from({ length: 5 }, () => t.service.payment(challenge)),
      t.service.payment(declined({ reason: "authentication_failed", challenge_outcome: "failed" })),
    );
    const seen: unknown[] = [];
    t.atWaits.push(
      () => {},
      () => t.receive("notified"),
      () => seen.push(t.shown(), t.page.bank.textContent?.includes(text.bankConfirming)),
    );
    await t.flow.pay(card);
    expect(seen).toEqual(["bank", true]);
    expect(t.events).toContainEqual(["challengeend", { outcome: "failed" }]);
    expect(t.page.notice.textContent).toBe(declinedAs("authentication_failed"));
  });

  it("asks before canceling, cancels once, and reports that nothing was charged", async () => {
    t.service.on(pay, t.service.payment(challenge));
    t.service.on(poll, t.service.payment(challenge));
    t.service.on(
      cancel,
      t.service.payment(declined({ reason: "authentication_canceled", challenge_outcome: "canceled" })),
    );
    const press = (name: string) => getByRole(t.page.bank, "button", { name }).click();
    t.atWaits.push(
      () => {
        press(text.cancel);
        press(text.cancelNo);
        press(text.cancel);
      },
      () => {
        expect(t.service.paths()).not.toContain(cancel);
        press(text.cancelYes);
        t.flow.cancelChallenge();
      },
    );
    await t.flow.pay(card);
    expect(t.service.paths().filter((path) => path === cancel)).toHaveLength(1);
    expect(t.events).toContainEqual(["challengeend", { outcome: "canceled" }]);
    expect(t.page.notice.textContent).toBe(declinedAs("authentication_canceled"));
  });

  it("resumes a challenge after a reload", async () => {
    t.service.on(open, t.service.session({}, challenge));
    t.service.on(poll, t.service.payment(succeeded));
    await refreshToEnd(t);
    expect(t.orders).toEqual(["open /3ds/run/dec_1", "challenge", "close", "release"]);
    expect(t.names()).toContain("complete");
  });

  it("doesn't post the challenge a third time", async () => {
    t.given.posts = 1;
    t.service.on(open, t.service.session({}, challenge));
    t.service.on(poll, t.service.payment(succeeded));
    await refreshToEnd(t);
    expect(t.orders).toEqual(["open /3ds/run/dec_1", "close", "release"]);
  });

  it("looks up the payment if the response to `authenticate` was lost", async () => {
    t.service.on(pay, t.service.payment(threeDS));
    t.service.on(authenticate, unreachable);
    t.service.on(poll, t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.service.paths()).toEqual([open, pay, authenticate, poll]);
    expect(t.page.main.dataset["result"]).toBe("succeeded");
  });

  it("reports who canceled the challenge: the customer with our button, or the shop with `cancelChallenge`", async () => {
    const canceled = declined({ reason: "authentication_canceled", challenge_outcome: "canceled" });
    t.service.on(pay, t.service.payment(challenge));
    t.service.on(poll, t.service.payment(challenge));
    t.service.on(cancel, t.service.payment(canceled));
    t.atWaits.push(
      () => {},
      () => t.flow.cancelChallenge(),
    );
    await t.flow.pay(card);
    expect(t.events.slice(2)).toMatchObject([
      ["cancel", { by: "merchant" }],
      ["challengeend", { outcome: "canceled" }],
      ["decline", { code: "authentication_canceled" }],
    ]);
    t.service.on(poll, t.service.payment(canceled));
    await t.flow.pay(card);
    expect(t.events.filter(([name]) => name === "cancel").map(([, detail]) => detail)).toEqual([
      { by: "merchant" },
      { by: "customer" },
    ]);
  });

  it("reports no cancellation if the service couldn't be reached, and lets the customer try again", async () => {
    t.service.on(pay, t.service.payment(challenge));
    t.service.on(cancel, unreachable);
    t.service.on(poll, t.service.payment(challenge), t.service.payment(challenge), t.service.payment(succeeded));
    t.atWaits.push(
      () => {},
      () => t.flow.cancelChallenge(),
      () => t.flow.cancelChallenge(),
    );
    await t.flow.pay(card);
    expect(t.service.paths().filter((path) => path === cancel)).toHaveLength(2);
    expect(t.names()).not.toContain("cancel");
  });

  it("ignores a cancel when there is no challenge", async () => {
    t.flow.cancelChallenge();
    expect(t.service.paths()).toEqual([open]);
    expect(t.events).toEqual([]);
  });

  it("enlarges the iframe for the challenge, shrinks it afterwards, and reloads nothing", async () => {
    t.given.presentation = "overlay";
    t.service.on(pay, t.service.payment(challenge));
    t.service.on(poll, t.service.payment(succeeded));
    const seen: unknown[] = [];
    t.atWaits.push(() => seen.push(document.documentElement.classList.contains("grown")));
    await t.flow.pay(card);
    expect(seen).toEqual([true]);
    expect(document.documentElement.classList.contains("grown")).toBe(false);
    expect(t.names()).toEqual(["submit", "grow", "challengestart", "shrink", "challengeend", "complete"]);
    expect(t.events[2]?.[1]).toEqual({ windowSize: "02", presentation: "overlay" });
  });

  it("returns the focus to where it was after the challenge", async () => {
    t.page.pay.focus();
    t.service.on(pay, t.service.payment(challenge));
    t.service.on(poll, t.service.payment(processing), t.service.payment(succeeded));
    const seen: (string | undefined)[] = [];
    const note = () => void seen.push(document.activeElement?.id);
    t.atWaits.push(note, note);
    await t.flow.pay(card);
    expect(seen).toEqual(["bank-title", "pay"]);
  });

  it("moves the challenge to the full page if requested, and still gets the outcome", async () => {
    t.given.presentation = "redirect";
    t.service.on(pay, t.service.payment(challenge));
    t.service.on(poll, t.service.payment(challenge), t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.orders).toEqual([]);
    expect(t.names()).toEqual(["submit", "complete"]);
  });

  it("logs milestones without details", async () => {
    t.service.on(pay, t.service.payment(threeDS));
    t.service.on(authenticate, t.service.payment(challenge));
    t.service.on(poll, t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.notes).toEqual(["payment three_ds", "payment challenge", "payment succeeded"]);
  });
});
