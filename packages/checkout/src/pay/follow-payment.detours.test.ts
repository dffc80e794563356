/** Less common paths: a second tab, decoupled authentication, and an issuer that requires authentication late. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FramePayment } from "@oriel/protocol/frame";
import { declinedAs } from "../../test/declined-as.ts";
import { unreachable } from "../../test/fake-service.ts";
import {
  authenticate,
  cancel,
  card,
  challenge,
  createFlowTest,
  declined,
  decoupled,
  open,
  pay,
  poll,
  processing,
  refreshToEnd,
  succeeded,
  threeDS,
} from "../../test/flow-test.ts";
import type { FlowTest } from "../../test/flow-test.ts";
import type { CallResult } from "../service/frame-call.ts";
import english from "../texts/en.ts";

const { after: text } = english;

let t: FlowTest;
beforeEach(async () => {
  t = await createFlowTest();
});

describe("two tabs of one session", () => {
  beforeEach(async () => {
    await t.flow.begin();
    t.service.on(open, t.service.session({}, challenge));
    t.given.isOtherTabsTurn = true;
  });

  it("show the bank's page in only one of them: the other waits, posts nothing and shows the outcome", async () => {
    const seen: unknown[] = [];
    t.service.on(poll, t.service.payment(challenge), t.service.payment(challenge), t.service.payment(succeeded));
    t.atWaits.push(
      () => {},
      () => seen.push(t.shown(), t.page.bank.querySelector(".wait")?.textContent),
    );
    await refreshToEnd(t);
    expect(seen).toEqual(["bank", text.bankConfirming]);
    expect(t.orders).toEqual(["open /3ds/run/dec_1", "close"]);
    expect(t.page.main.dataset["result"]).toBe("succeeded");
  });

  it("can both cancel", async () => {
    t.service.on(poll, t.service.payment(challenge));
    t.service.on(
      cancel,
      t.service.payment(declined({ reason: "authentication_canceled", challenge_outcome: "canceled" })),
    );
    t.atWaits.push(
      () => {},
      () => t.flow.cancelChallenge(),
    );
    await refreshToEnd(t);
    expect(t.page.notice.textContent).toBe(declinedAs("authentication_canceled"));
  });

  it("don't take over from each other once the waiting tab has asked to cancel", async () => {
    const slowPoll = Promise.withResolvers<CallResult>();
    t.service.on(poll, slowPoll.promise);
    t.service.on(
      cancel,
      t.service.payment(declined({ reason: "authentication_canceled", challenge_outcome: "canceled" })),
    );
    const refreshed = refreshToEnd(t);
    await vi.waitUntil(() => t.service.paths().includes(poll));
    // The first tab reads the outcome before this tab does, so it no longer objects.
    t.given.isOtherTabsTurn = false;
    t.flow.cancelChallenge();
    slowPoll.resolve(t.service.payment(challenge));
    await refreshed;
    expect(t.orders).toEqual(["open /3ds/run/dec_1", "close"]);
  });

  it("let the waiting tab take over when the first is gone, after it has asked the service and only while it is visible", async () => {
    t.service.on(poll, t.service.payment(challenge), t.service.payment(challenge), t.service.payment(succeeded));
    const isHidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    const seen: string[][] = [];
    t.atWaits.push(
      () => (t.given.isOtherTabsTurn = false),
      () => {
        seen.push([...t.orders]);
        isHidden.mockReturnValue(false);
      },
    );
    await refreshToEnd(t);
    isHidden.mockRestore();
    const waiting = ["open /3ds/run/dec_1", "close"];
    expect(seen).toEqual([waiting]);
    expect(t.orders).toEqual([...waiting, "open /3ds/run/dec_1", "challenge", "close", "release"]);
  });
});

describe("decoupled authentication", () => {
  beforeEach(() => t.flow.begin());

  it("shows our own page with the issuer's message as text until the service knows the outcome", async () => {
    t.service.on(pay, t.service.payment({ ...decoupled, cardholder_info: "Open <b>Bank</b>, then approve." }));
    t.service.on(poll, t.service.payment(decoupled), t.service.payment(processing), t.service.payment(succeeded));
    const seen: unknown[] = [];
    const note = () => {
      const said = [...t.page.bank.querySelectorAll("h2, p")].map(({ textContent }) => textContent);
      seen.push(t.shown(), document.activeElement?.textContent, said, t.page.bank.querySelector("b"));
    };
    t.atWaits.push(note);
    await t.flow.pay(card);
    const sentences = [text.decoupledTitle, text.decoupledText, "Open <b>Bank</b>, then approve."];
    expect(seen).toEqual(["bank", text.decoupledTitle, sentences, null]);
    expect(t.orders).toEqual([]);
    expect(t.names()).toEqual(["submit", "complete"]);
    expect(t.page.bank.childElementCount).toBe(0);
  });

  it("can be canceled by the customer and by the shop", async () => {
    t.service.on(pay, t.service.payment(decoupled));
    t.service.on(poll, t.service.payment(decoupled));
    t.service.on(cancel, t.service.payment(declined({ reason: "authentication_canceled" })));
    t.atWaits.push(
      () => {},
      () => t.flow.cancelChallenge(),
    );
    await t.flow.pay(card);
    expect(t.events).toContainEqual(["cancel", { by: "merchant" }]);
    expect(t.names()).not.toContain("challengeend");
    expect(t.page.notice.textContent).toBe(declinedAs("authentication_canceled"));
  });

  it("resumes after a reload", async () => {
    t.service.on(open, t.service.session({}, decoupled));
    t.service.on(poll, t.service.payment(succeeded));
    const seen: unknown[] = [];
    t.atWaits.push(() => seen.push(t.shown()));
    await refreshToEnd(t);
    expect(seen).toEqual(["bank"]);
    expect(t.page.main.dataset["result"]).toBe("succeeded");
  });

  it("can follow a challenge that it replaces", async () => {
    t.service.on(pay, t.service.payment(challenge));
    t.service.on(poll, t.service.payment(decoupled), t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.notes).toEqual(["payment challenge", "payment decoupled", "payment succeeded"]);
  });
});

describe("an issuer that requires authentication late", () => {
  const again: FramePayment = { ...threeDS, method: null };
  const second: FramePayment = { ...challenge, creq: "creq-2" };
  beforeEach(() => t.flow.begin());

  it("continues the same payment without an error, skips the 3DS Method if there is none, and shows one challenge", async () => {
    t.service.on(pay, t.service.payment(threeDS));
    t.service.on(authenticate, t.service.payment(processing), t.service.payment(second));
    t.service.on(poll, t.service.payment(again), t.service.payment(second), t.service.payment(succeeded));
    const seen: unknown[] = [];
    const note = () => seen.push([t.shown(), t.page.notice.hidden]);
    t.atWaits.push(note, note, note);
    await t.flow.pay(card);
    expect(seen).toEqual([
      ["form", true],
      ["bank", true],
      ["bank", true],
    ]);
    expect(t.orders.join()).toBe("open /3ds/run/dec_1,method,close,open /3ds/run/dec_1,challenge,close,release");
    expect(t.names()).toEqual(["submit", "challengestart", "challengeend", "complete"]);
  });

  it("runs the 3DS Method again if there is a new one", async () => {
    t.service.on(pay, t.service.payment(threeDS));
    t.service.on(
      authenticate,
      t.service.payment({
        ...threeDS,
        method: { url: "https://bank.example/method", data: "data-2", timeout_ms: 1000 },
      }),
      t.service.payment(succeeded),
    );
    await t.flow.pay(card);
    expect(t.orders.filter((order) => order === "method")).toHaveLength(2);
  });

  it("doesn't run the 3DS Method again if only the response to `authenticate` was lost", async () => {
    t.service.on(pay, t.service.payment(threeDS));
    t.service.on(authenticate, unreachable, t.service.payment(succeeded));
    t.service.on(poll, t.service.payment(threeDS));
    await t.flow.pay(card);
    expect(t.orders.filter((order) => order === "method")).toHaveLength(1);
    expect(t.page.main.dataset["result"]).toBe("succeeded");
  });

  it("can follow a failed challenge, which is closed", async () => {
    t.given.posts = -1;
    t.service.on(pay, t.service.payment(challenge));
    t.service.on(poll, t.service.payment(second), t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.orders.filter((order) => order === "challenge")).toHaveLength(2);
  });

  it("waits five seconds again before telling the customer to wait, and reports `processing` only once", async () => {
    t.service.on(pay, t.service.payment(processing));
    t.service.on(
      poll,
      ...[processing, processing, processing, again, processing, processing, processing, processing, succeeded].map(
        (payment) => t.service.payment(payment),
      ),
    );
    t.service.on(authenticate, t.service.payment(processing));
    const seen: unknown[] = [];
    const note = () => seen.push(t.shown());
    t.atWaits.push(...Array.from({ length: 9 }, () => note));
    await t.flow.pay(card); // resolves when the customer is told to wait
    await vi.waitUntil(() => !t.flow.isBusy());
    expect(seen.slice(0, 4)).toEqual(["form", "form", "form", "result"]);
    expect(seen.slice(4, 7)).toEqual(["form", "form", "form"]);
    expect(seen[7]).toBe("result");
    expect(t.events.filter(([name]) => name === "complete").map(([, detail]) => detail)).toMatchObject([
      { status: "processing" },
      { status: "complete" },
    ]);
  });
});

describe("a device that was asleep for longer than a payment is followed", () => {
  const sleep = () => void (t.given.nowMs += 3 * 60 * 60_000);

  it.each([
    ["a payment in processing", processing],
    ["the bank's challenge", challenge],
  ])("shows the outcome of %s after waking up", async (_what, underWay) => {
    await t.flow.begin();
    t.service.on(pay, t.service.payment(underWay));
    t.service.on(poll, t.service.payment(underWay), t.service.payment(succeeded));
    t.atWaits.push(() => {}, sleep);
    await t.flow.pay(card);
    expect(t.page.main.dataset["result"]).toBe("succeeded");
    expect(t.names().at(-1)).toBe("complete");
  });
});
