import type { FramePayment } from "@oriel/protocol/frame";
import { challengeWindowSize } from "@oriel/protocol/threeds";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createFakeService, refused, sessionId, setup, unreachable } from "../test/fake-service.ts";
import type { FakeService } from "../test/fake-service.ts";
import { loadPage } from "../test/load-page.ts";
import type { Alarm } from "./alarm.ts";
import { bindCardFields } from "./card-fields.ts";
import type { CardFields } from "./card-fields.ts";
import { createFrameApi } from "./frame-api.ts";
import type { Page } from "./page.ts";
import { createPaymentFlow } from "./payment-flow.ts";
import type { PaymentFlow } from "./payment-flow.ts";
import { createScreen } from "./screen.ts";
import * as text from "./text.ts";
import { runChallenge } from "./threeds/run-challenge.ts";
import { runMethod } from "./threeds/run-method.ts";
import type { OpenRunner, RunnerNews } from "./threeds/runner-frame.ts";

const card = { number: "4242424242424242", exp_month: 12, exp_year: 2034, cvc: "123" };
const open = `POST /frame/sessions/${sessionId}/open`;
const pay = "POST /frame/payments";
const look = "GET /frame/payments/dec_1";
const authenticate = "POST /frame/payments/dec_1/authenticate";
const cancel = "POST /frame/payments/dec_1/cancel";

const succeeded: FramePayment = { id: "dec_1", status: "succeeded" };
const processing: FramePayment = { id: "dec_1", status: "processing" };
const declined = (changes: object = {}): FramePayment => ({
  id: "dec_1",
  status: "declined",
  challenge_outcome: null,
  reason: "insufficient_funds",
  cardholder_info: null,
  retryable: true,
  ...changes,
});
const threeDS: FramePayment = {
  id: "dec_1",
  status: "three_ds",
  runner: "/3ds/run/dec_1",
  method: { url: "https://bank.example/method", data: "data", timeout_ms: 1000 },
};
const challenge: FramePayment = {
  id: "dec_1",
  status: "challenge",
  runner: "/3ds/run/dec_1",
  acs_url: "https://bank.example/acs",
  creq: "creq",
  window_size: "02",
  deadline: 1_000_000,
};

let service: FakeService;
let page: Page;
let fields: CardFields;
let flow: PaymentFlow;
let events: [name: string, detail: unknown][];
let waits: number[];
let orders: string[];
let posts: number;
/** Called at the next waits, one each: what a customer would see then. */
let atWaits: (() => void)[];
let hear: (news: RunnerNews) => void;

beforeEach(async () => {
  service = await createFakeService();
  page = loadPage();
  fields = bindCardFields(page);
  events = [];
  waits = [];
  atWaits = [];
  orders = [];
  posts = 0;
  let nowMs = 0;
  // Time passes only by waiting.
  const alarm: Alarm = {
    wait: (ms) => {
      waits.push(ms);
      atWaits.shift()?.();
      nowMs += ms;
      return new Promise((resolve) => setTimeout(resolve));
    },
    ring() {},
  };
  const openRunner: OpenRunner = (path, into) => {
    orders.push(`open ${path}`);
    const frame = document.createElement("div");
    into.append(frame);
    const listeners: [RunnerNews, () => void][] = [];
    hear = (news) => {
      for (const [name, listen] of listeners) if (name === news) listen();
    };
    return {
      // An element that loads nothing stands in for the frame.
      frame: frame as unknown as HTMLIFrameElement,
      heard: async () => true,
      on: (news, listen) => void listeners.push([news, listen]),
      order: (message) => void orders.push(message.step),
      close: () => {
        orders.push("close");
        frame.remove();
      },
    };
  };
  const api = createFrameApi(service.call, sessionId, "secret");
  // In a frame: the parent is another window.
  const view = Object.create(window, { parent: { value: {} } }) as typeof window;
  const screen = createScreen(page, fields, view);
  flow = createPaymentFlow({
    api,
    screen,
    fields,
    host: { tell: (name, detail) => void events.push([name, detail]) },
    alarm,
    crypto,
    now: () => nowMs,
    browser: () => ({
      browserJavaEnabled: false,
      browserJavascriptEnabled: true,
      browserLanguage: "en",
      browserColorDepth: "24",
      browserScreenHeight: "800",
      browserScreenWidth: "400",
      browserTZ: "0",
    }),
    windowSize: () => challengeWindowSize(400, 500),
    runMethod: (payment) => runMethod(payment, page.bank, openRunner),
    runChallenge: (payment) =>
      runChallenge(payment, {
        page,
        api,
        alarm,
        openRunner,
        room: () => ({ width: 400, height: 500 }),
        now: () => nowMs,
        mayPost: () => ++posts <= 1,
        started: (detail) => void events.push(["challengestart", detail]),
        ended: (detail) => void events.push(["challengeend", detail]),
      }),
    opened: (session) => screen.introduce(session),
  });
  service.on(open, service.session());
});

const names = () => events.map(([name]) => name);
const shown = () => page.main.dataset["view"];

describe("paying", () => {
  beforeEach(async () => {
    await flow.begin();
    fields.fill(card.number, "1234", card.cvc);
  });

  it("sends the card encrypted, once, and tells the host the end", async () => {
    service.on(pay, service.payment(succeeded, { status: "complete" }));
    await flow.pay(card);
    const sent = JSON.stringify(service.asked);
    expect(sent).not.toContain(card.number);
    expect(service.asked[1]?.body).toMatchObject({ challenge_window_size: "02" });
    expect(service.asked[1]?.token).toBe("token-1");
    expect(events).toEqual([
      ["submit", {}],
      ["complete", { sessionId, status: "complete", returnUrl: "https://shop.example/done" }],
    ]);
    expect(page.main.dataset["result"]).toBe("succeeded");
    expect([page.number.value, page.cvc.value]).toEqual(["", ""]);
  });

  it("makes one payment of a double press", async () => {
    service.on(pay, service.payment(succeeded));
    await Promise.all([flow.pay(card), flow.pay(card), flow.pay(card)]);
    expect(service.paths().filter((path) => path === pay)).toHaveLength(1);
    expect(names().filter((name) => name === "complete")).toHaveLength(1);
  });

  it("renews a stale card message once, unseen", async () => {
    service.on(pay, refused("card_message_stale"), service.payment(succeeded));
    await flow.pay(card);
    expect(service.paths().filter((path) => path === pay)).toHaveLength(2);
    expect(names()).toEqual(["submit", "complete"]);
  });

  it("does not renew it when the first one was taken after all: the browser had sent it twice", async () => {
    service.on(pay, refused("card_message_stale"));
    service.on(open, service.session({ attempts_left: 4 }));
    await flow.pay(card);
    expect(service.paths().filter((path) => path === pay)).toHaveLength(1);
    expect(page.notice.textContent).toBe(text.notices.notStarted);
    service.on(open, service.session({ status: "complete", attempts_left: 4 }, succeeded));
    await flow.pay(card);
    expect(service.paths().filter((path) => path === pay)).toHaveLength(2);
    expect(page.main.dataset["result"]).toBe("succeeded");
  });

  it("does not renew it twice, and says that nothing was charged", async () => {
    service.on(pay, refused("card_message_stale"));
    await flow.pay(card);
    expect(service.paths().filter((path) => path === pay)).toHaveLength(2);
    expect(page.notice.textContent).toBe(text.notices.notAccepted);
    expect(shown()).toBe("form");
  });

  it("says that only test cards are taken, where the service says so", async () => {
    service.on(pay, refused("not_a_test_card"));
    await flow.pay(card);
    expect(page.notice.textContent).toBe(text.notices.testCardsOnly);
    expect(shown()).toBe("form");
  });

  it("keeps the form after a decline, but not the code, and lets the next card pay", async () => {
    service.on(pay, service.payment(declined(), { attempts_left: 4 }), service.payment(succeeded));
    await flow.pay(card);
    expect(page.notice.textContent).toBe(text.declined.insufficient_funds);
    expect([page.number.value, page.cvc.value]).toEqual(["4242 4242 4242 4242", ""]);
    expect(events.at(-1)).toEqual(["decline", { code: "insufficient_funds", retryable: true, attemptsLeft: 4 }]);
    await flow.pay(card);
    expect(names().at(-1)).toBe("complete");
  });

  it("closes the form after the last try", async () => {
    service.on(pay, service.payment(declined({ retryable: false }), { status: "expired", attempts_left: 0 }));
    await flow.pay(card);
    expect(page.main.dataset["result"]).toBe("ended");
    expect(page.number.value).toBe("");
  });

  it("hands a server-confirmed payment to the host", async () => {
    service.on(
      pay,
      service.payment({ id: "dec_1", status: "requires_confirmation", payment_method_id: "pm_1", decision_id: "dec_1" }),
    );
    await flow.pay(card);
    expect(events.at(-1)?.[1]).toMatchObject({ status: "requires_confirmation", paymentMethodId: "pm_1", decisionId: "dec_1" });
    expect(page.main.dataset["result"]).toBe("requires_confirmation");
  });

  it("says not to pay again when the bank stays silent, and still learns the end", async () => {
    service.on(pay, service.payment(processing));
    service.on(look, ...Array.from({ length: 4 }, () => service.payment(processing)), service.payment(succeeded));
    const said: (string | undefined)[] = [];
    const observer = new MutationObserver(() => said.push(page.main.dataset["result"]));
    observer.observe(page.main, { attributes: true, attributeFilter: ["data-result"] });
    await flow.pay(card);
    await vi.waitFor(() => expect(said).toEqual(["processing", "succeeded"]));
    expect(events.filter(([name]) => name === "complete").map(([, detail]) => (detail as { status: string }).status)).toEqual([
      "processing",
      "complete",
    ]);
  });

  it("asks to wait when there were too many tries", async () => {
    service.on(pay, refused("rate_limited", 429));
    await flow.pay(card);
    expect(page.notice.textContent).toBe(text.notices.rateLimited);
    expect(page.pay.hasAttribute("aria-disabled")).toBe(false);
  });
});

describe("paying with 3-D Secure", () => {
  beforeEach(() => flow.begin());

  it("runs the method unseen, shows the challenge, and believes the service alone", async () => {
    service.on(pay, service.payment(threeDS));
    service.on(authenticate, service.payment(challenge));
    service.on(look, service.payment(challenge), service.payment(challenge), service.payment(succeeded));
    await flow.pay(card);
    expect(orders).toEqual(["open /3ds/run/dec_1", "method", "close", "open /3ds/run/dec_1", "challenge", "close"]);
    expect(events.slice(1)).toEqual([
      ["challengestart", { windowSize: "02" }],
      ["challengeend", { outcome: "authenticated" }],
      ["complete", { sessionId, status: "complete", returnUrl: "https://shop.example/done" }],
    ]);
    expect(page.bank.childElementCount).toBe(0);
  });

  it("is not ended by a knock from the bank's page while the service says that it goes on", async () => {
    service.on(pay, service.payment(challenge));
    service.on(
      look,
      ...Array.from({ length: 5 }, () => service.payment(challenge)),
      service.payment(declined({ reason: "authentication_failed", challenge_outcome: "failed" })),
    );
    const seen: unknown[] = [];
    atWaits = [() => hear("notified"), () => seen.push(shown(), page.bank.textContent?.includes(text.bankConfirming))];
    await flow.pay(card);
    expect(seen).toEqual(["bank", true]);
    expect(events).toContainEqual(["challengeend", { outcome: "failed" }]);
    expect(page.notice.textContent).toBe(text.declined.authentication_failed);
  });

  it("asks before it cancels, cancels once, and tells it as no charge", async () => {
    service.on(pay, service.payment(challenge));
    service.on(look, service.payment(challenge));
    service.on(cancel, service.payment(declined({ reason: "authentication_canceled", challenge_outcome: "canceled" })));
    const press = (label: string) => {
      const button = [...page.bank.querySelectorAll("button")].find((element) => element.textContent === label);
      if (!button) throw new Error(`No button ${label}`);
      button.click();
    };
    atWaits = [
      () => {
        press(text.cancel);
        press(text.cancelNo);
        press(text.cancel);
      },
      () => {
        expect(service.paths()).not.toContain(cancel);
        press(text.cancelYes);
        flow.cancelChallenge();
      },
    ];
    await flow.pay(card);
    expect(service.paths().filter((path) => path === cancel)).toHaveLength(1);
    expect(events).toContainEqual(["challengeend", { outcome: "canceled" }]);
    expect(page.notice.textContent).toBe(text.declined.authentication_canceled);
  });

  it("goes on with the challenge that a reload finds", async () => {
    service.on(open, service.session({}, challenge));
    service.on(look, service.payment(succeeded));
    await flow.refresh();
    expect(orders).toEqual(["open /3ds/run/dec_1", "challenge", "close"]);
    expect(names()).toContain("complete");
  });

  it("does not post the challenge a third time", async () => {
    posts = 1;
    service.on(open, service.session({}, challenge));
    service.on(look, service.payment(succeeded));
    await flow.refresh();
    expect(orders).toEqual(["open /3ds/run/dec_1", "close"]);
  });

  it("looks the payment up when the answer to `authenticate` was lost", async () => {
    service.on(pay, service.payment(threeDS));
    service.on(authenticate, unreachable);
    service.on(look, service.payment(succeeded));
    await flow.pay(card);
    expect(service.paths()).toEqual([open, pay, authenticate, look]);
    expect(page.main.dataset["result"]).toBe("succeeded");
  });
});

describe("saving a card", () => {
  beforeEach(async () => {
    service.on(open, service.session(setup));
    await flow.begin();
    fields.fill(card.number, "1234", card.cvc);
  });

  it("sends it as a payment's is sent, and ends with the same word to the host", async () => {
    expect([page.payLabel.textContent, page.amount.hidden]).toEqual([text.save, true]);
    service.on(pay, service.payment(succeeded, { status: "complete" }));
    await flow.pay(card);
    expect(service.paths()).toEqual([open, pay]);
    expect(JSON.stringify(service.asked)).not.toContain(card.number);
    expect(events).toEqual([
      ["submit", {}],
      ["complete", { sessionId, status: "complete", returnUrl: "https://shop.example/done" }],
    ]);
    expect(page.result.textContent).toContain("Card saved");
    expect([page.number.value, page.cvc.value]).toEqual(["", ""]);
  });

  it("goes through the bank's challenge where there is one", async () => {
    service.on(pay, service.payment(threeDS));
    service.on(authenticate, service.payment(challenge));
    service.on(look, service.payment(succeeded));
    await flow.pay(card);
    expect(names()).toEqual(["submit", "challengestart", "challengeend", "complete"]);
    expect(page.result.textContent).toContain("Card saved");
  });

  it("says of a refused card that it was not saved, and lets the next one be", async () => {
    service.on(pay, service.payment(declined({ reason: "declined" }), { attempts_left: 4 }), service.payment(succeeded));
    await flow.pay(card);
    expect(page.notice.textContent).toBe(text.saving.declined.declined);
    expect(page.payLabel.textContent).toBe(text.save);
    expect(events.at(-1)).toEqual(["decline", { code: "declined", retryable: true, attemptsLeft: 4 }]);
    await flow.pay(card);
    expect(names().at(-1)).toBe("complete");
  });

  it("looks it up after silence, in words that fit, before the card may be sent again", async () => {
    service.on(pay, unreachable);
    service.on(open, unreachable, service.session(setup));
    const seen: unknown[] = [];
    atWaits = [() => seen.push(page.notice.textContent, page.pay.getAttribute("aria-disabled"))];
    await flow.pay(card);
    expect(seen).toEqual([text.saving.notices.connectionLost, "true"]);
    expect(page.notice.textContent).toBe(text.saving.notices.notStarted);
    expect(service.paths().filter((path) => path === pay)).toHaveLength(1);
  });

  it("is shown as done to a page that is loaded again", async () => {
    service.on(open, service.session({ ...setup, status: "complete" }, succeeded));
    await flow.refresh();
    expect(page.result.textContent).toContain("Card saved");
    expect(names()).toEqual(["complete"]);
  });
});

it("a payment that keeps the card says so, and ends as every other", async () => {
  service.on(open, service.session({ save_payment_method: true }));
  await flow.begin();
  expect(page.kept.textContent).toBe(text.keptToo("Fernweh"));
  service.on(pay, service.payment(succeeded, { status: "complete" }));
  await flow.pay(card);
  expect(events.at(-1)).toEqual(["complete", { sessionId, status: "complete", returnUrl: "https://shop.example/done" }]);
  expect(page.result.textContent).toContain("Payment complete");
});

describe("a lost connection", () => {
  beforeEach(() => flow.begin());

  it("while paying is looked up before anything else; a payment that went through is shown as that", async () => {
    service.on(pay, unreachable);
    service.on(open, unreachable, unreachable, service.session({ status: "complete" }, succeeded));
    await flow.pay(card);
    expect(service.paths().filter((path) => path === pay)).toHaveLength(1);
    expect(page.main.dataset["result"]).toBe("succeeded");
    expect(names()).not.toContain("decline");
  });

  it("while paying lets the customer try again only after the service said that there is no payment", async () => {
    service.on(pay, unreachable, service.payment(succeeded));
    service.on(open, unreachable, service.session());
    const seen: unknown[] = [];
    atWaits = [() => seen.push(page.notice.textContent, page.pay.getAttribute("aria-disabled"))];
    await flow.pay(card);
    expect(seen).toEqual([text.notices.connectionLost, "true"]);
    expect(page.notice.textContent).toBe(text.notices.notStarted);
    expect(page.pay.hasAttribute("aria-disabled")).toBe(false);
    await flow.pay(card);
    expect(names().at(-1)).toBe("complete");
  });

  it("that lasts ends in a page that says so and asks again when told to, never in a decline", async () => {
    service.on(pay, unreachable);
    service.on(open, unreachable);
    await flow.pay(card);
    expect(page.main.dataset["result"]).toBe("unknown");
    expect(names()).toEqual(["submit", "error"]);
    service.on(open, service.session({ status: "complete" }, succeeded));
    page.result.querySelector("button")?.click();
    await vi.waitFor(() => expect(page.main.dataset["result"]).toBe("succeeded"));
  });

  it("at the start offers to try again", async () => {
    service.on(open, unreachable);
    await flow.refresh();
    await flow.begin();
    expect(page.main.dataset["result"]).toBe("unreachable");
    service.on(open, service.session());
    page.result.querySelector("button")?.click();
    await vi.waitFor(() => expect(shown()).toBe("form"));
    expect(page.pay.disabled).toBe(false);
  });

  it("while a payment is followed is waited out", async () => {
    service.on(pay, service.payment(processing));
    service.on(look, unreachable, unreachable, service.payment(declined()));
    await flow.pay(card);
    expect(page.notice.textContent).toBe(text.declined.insufficient_funds);
    expect(Math.max(...waits)).toBe(2000);
  });
});

describe("a session that is over", () => {
  it.each([
    ["expired", "session_expired"],
    ["canceled", "session_invalid"],
  ] as const)("is shown as %s", async (status, code) => {
    service.on(open, service.session({ status }));
    await flow.begin();
    expect(page.main.dataset["result"]).toBe(status);
    expect(events).toEqual([["error", { code }]]);
  });

  it("and paid is shown as paid, to the customer and to the host", async () => {
    service.on(open, service.session({ status: "complete", payment_status: "paid" }, succeeded));
    await flow.begin();
    expect(page.main.dataset["result"]).toBe("succeeded");
    expect(names()).toEqual(["complete"]);
  });

  it("and never was, for this secret, sends back to the shop", async () => {
    service.on(open, refused("client_secret_invalid", 401));
    await flow.begin();
    expect(page.main.dataset["result"]).toBe("invalid");
  });

  it("while another tab pays shows that payment", async () => {
    await flow.begin();
    service.on(pay, refused("session_payment_in_progress"));
    service.on(open, service.session({ payment_status: "processing" }, processing));
    service.on(look, service.payment(succeeded));
    await flow.pay(card);
    expect(page.main.dataset["result"]).toBe("succeeded");
    expect(names()).not.toContain("decline");
  });

  it("has a token that the service forgot renewed, and the call made again", async () => {
    await flow.begin();
    service.on(pay, refused("frame_token_invalid", 401), service.payment(succeeded));
    await flow.pay(card);
    expect(service.paths()).toEqual([open, pay, open, pay]);
    expect(page.main.dataset["result"]).toBe("succeeded");
  });
});
