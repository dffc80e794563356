/**
 * Sets up a payment flow on the checkout page's own HTML with an in-memory service. Time passes only during waits. The
 * events sent to the host page are in `events`.
 */
import { vi } from "vitest";
import type { FramePayment } from "@oriel/protocol/frame";
import type { ChallengeWindowSize } from "@oriel/protocol/threeds";
import { bindCardFields } from "../src/form/card-fields.ts";
import type { CardFields } from "../src/form/card-fields.ts";
import { createOutcomeScreen } from "../src/page/outcome-screen.ts";
import type { Page } from "../src/page/page.ts";
import { createScreen } from "../src/page/screen.ts";
import { createPaymentFollower } from "../src/pay/follow-payment.ts";
import { createPaymentFlow } from "../src/pay/payment-flow.ts";
import type { FlowWorld, PaymentFlow } from "../src/pay/payment-flow.ts";
import { createFrameApi } from "../src/service/frame-api.ts";
import { openSession } from "../src/service/frame-call.ts";
import { sendCard } from "../src/service/send-card.ts";
import type { SendWorld } from "../src/service/send-card.ts";
import type { WakeableWait } from "../src/service/wakeable-wait.ts";
import english from "../src/texts/en.ts";
import { createBankOverlay } from "../src/threeds/bank-overlay.ts";
import { runChallenge } from "../src/threeds/run-challenge.ts";
import { runDecoupled } from "../src/threeds/run-decoupled.ts";
import { runMethod } from "../src/threeds/run-method.ts";
import type { OpenRunner, RunnerMessage } from "../src/threeds/runner-frame.ts";
import { browser } from "./browser.ts";
import { createTab } from "./create-tab.ts";
import { createFakeService, sessionId } from "./fake-service.ts";
import type { FakeService } from "./fake-service.ts";
import { loadPage, loadOnDemand } from "./load-page.ts";

export const card = { number: "4242424242424242", exp_month: 12, exp_year: 2034, cvc: "123" };
export const open = `POST /frame/sessions/${sessionId}/open`;
export const pay = "POST /frame/payments";
export const poll = "GET /frame/payments/dec_1";
export const authenticate = "POST /frame/payments/dec_1/authenticate";
export const cancel = "POST /frame/payments/dec_1/cancel";

type Of<Status extends FramePayment["status"]> = Extract<FramePayment, { status: Status }>;

export const succeeded: FramePayment = { id: "dec_1", status: "succeeded" };
export const processing: FramePayment = { id: "dec_1", status: "processing" };
export const declined = (changes: object = {}): FramePayment => ({
  id: "dec_1",
  status: "declined",
  challenge_outcome: null,
  reason: "insufficient_funds",
  cardholder_info: null,
  retryable: true,
  ...changes,
});
export const threeDS: Of<"three_ds"> = {
  id: "dec_1",
  status: "three_ds",
  runner: "/3ds/run/dec_1",
  method: { url: "https://bank.example/method", data: "data", timeout_ms: 1000 },
};
export const decoupled: Of<"decoupled"> = {
  id: "dec_1",
  status: "decoupled",
  cardholder_info: null,
  deadline: 1_000_000,
};
export const challenge: Of<"challenge"> = {
  id: "dec_1",
  status: "challenge",
  runner: "/3ds/run/dec_1",
  acs_url: "https://bank.example/acs",
  creq: "creq",
  window_size: "02",
  deadline: 1_000_000,
};

/** The sentence shown after a decline, in place of the real texts. */
export const sentence = (reason: string) => `You read: ${reason}`;

export interface FlowTest {
  service: FakeService;
  page: Page;
  fields: CardFields;
  flow: PaymentFlow;
  events: [name: string, detail: unknown][];
  names(): string[];
  /** The view that is shown. */
  shown(): string | undefined;
  waits: number[];
  /** The orders that the runner received. */
  orders: string[];
  /** The callbacks that the flow made. */
  callbacks: ("refused" | "reload")[];
  /** Callbacks for the next waits, one each, to check what a customer would see then. */
  atWaits: (() => void)[];
  /** Simulates a message from the runner. */
  receive(message: RunnerMessage): void;
  notes: string[];
  history: History;
  /** Tests can change these. */
  given: {
    nowMs: number;
    presentation: "inline" | "overlay" | "redirect";
    windowSize: ChallengeWindowSize;
    billing: ReturnType<SendWorld["billing"]>;
    /** How often the challenge has been posted already. */
    posts: number;
    /** Whether another tab shows the bank's page. */
    isOtherTabsTurn: boolean;
    isOnline: boolean;
  };
}

/** Refreshes the session, and waits for the end of a payment that was found. */
export async function refreshToEnd({ flow }: Pick<FlowTest, "flow">): Promise<void> {
  await flow.refresh();
  await vi.waitUntil(() => !flow.isBusy());
}

/**
 * @param history the tab's history; pass it again to simulate a reload
 * @param bankLoaded whether the code for the steps with the bank could be loaded
 */
export async function createFlowTest(
  history = createTab().history,
  bankLoaded = Promise.resolve(true),
): Promise<FlowTest> {
  if (history.state === null) history.replaceState({ secret: "secret-0123456789" }, "");
  const service = await createFakeService();
  const page = loadPage();
  const fields = bindCardFields(page, loadOnDemand);
  const events: FlowTest["events"] = [];
  const waits: number[] = [];
  const atWaits: (() => void)[] = [];
  const orders: string[] = [];
  const callbacks: FlowTest["callbacks"] = [];
  const notes: string[] = [];
  const given: FlowTest["given"] = {
    nowMs: 0,
    presentation: "inline",
    windowSize: "02",
    billing: undefined,
    posts: 0,
    isOtherTabsTurn: false,
    isOnline: true,
  };
  let receive: (message: RunnerMessage) => void = () => {};
  const now = () => given.nowMs;
  const wait: WakeableWait = {
    for: (ms) => {
      waits.push(ms);
      atWaits.shift()?.();
      given.nowMs += ms;
      return new Promise((resolve) => setTimeout(resolve));
    },
    wake() {},
  };
  const openRunner: OpenRunner = (path, into) => {
    orders.push(`open ${path}`);
    const frame = document.createElement("div");
    into.append(frame);
    const listeners: [RunnerMessage, () => void][] = [];
    receive = (message) => {
      for (const [name, listen] of listeners) if (name === message) listen();
    };
    return {
      // An element that loads nothing, instead of a real iframe.
      frame: frame as unknown as HTMLIFrameElement,
      waitFor: async () => true,
      on: (message, listen) => void listeners.push([message, listen]),
      order: (message) => void orders.push(message.step),
      close: () => {
        orders.push("close");
        frame.remove();
      },
    };
  };
  const api = createFrameApi(
    service.call,
    (lost) => openSession(service.call, sessionId, "secret", lost),
    history,
    now,
  );
  // In an iframe, the parent is another window.
  const view = Object.create(window, { parent: { value: {} } }) as typeof window;
  const screen = createScreen(page, fields, view);
  const emit: FlowWorld["host"]["emit"] = (name, detail) => void events.push([name, detail]);
  const overlay = createBankOverlay(page, { emit }, () => {});
  const mayPost = () => ++given.posts <= 1;
  const follower = createPaymentFollower({
    api,
    screen,
    wait,
    now,
    note: (kind, what) => void notes.push(`${kind} ${what}`),
    runMethod: (payment) => runMethod(payment, page.bank, openRunner),
    async runChallenge(payment, resumed) {
      if (given.presentation === "redirect") return "elsewhere";
      const takeTurn = async () => (given.isOtherTabsTurn ? null : () => void orders.push("release"));
      const parts = { page, text: english.after, api, wait, openRunner, overlay, takeTurn, now, mayPost, emit };
      return runChallenge(payment, resumed, given.presentation, 500, parts);
    },
    runDecoupled: async (payment) => runDecoupled(payment, { page, text: english.after, api, wait, now, emit }),
  });
  const flow = createPaymentFlow({
    api,
    screen: { ...screen, ...createOutcomeScreen(page, screen, view, now, loadOnDemand) },
    fields,
    host: { emit },
    follower,
    wait,
    now,
    send(toSend, version) {
      if (!toSend) return api.complete(version);
      return sendCard(toSend, version, {
        api,
        crypto,
        browser: () => browser,
        billing: () => given.billing,
        windowSize: () => given.windowSize,
        device: () => "00000000-0000-4000-8000-000000000000",
      });
    },
    isOnline: () => given.isOnline,
    bankLoaded,
    reload: () => void callbacks.push("reload"),
    billing: { leaveOut: () => false, refuse() {} },
    rememberDevice: () => {},
    declineSentence: (_session, reason) => sentence(reason),
    noticeSentence: (_session, name) => sentence(name),
  });
  flow.onOpened(screen.introduce);
  flow.onRefused(() => void callbacks.push("refused"));
  service.on(open, service.session());
  return {
    service,
    page,
    fields,
    flow,
    events,
    names: () => events.map(([name]) => name),
    shown: () => page.main.dataset["view"],
    waits,
    orders,
    callbacks,
    atWaits,
    receive: (message) => receive(message),
    notes,
    history,
    given,
  };
}
