import { getByLabelText } from "@testing-library/dom";
import { CallOptions, PortMessenger, connect } from "penpal";
import type { RemoteProxy } from "penpal";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { FramePayment, FrameSession } from "@oriel/protocol/frame";
import { initType } from "@oriel/protocol/windows";
import type { FrameVerbs } from "@oriel/protocol/windows";
import { createFakeService, refused, sessionId, unreachable } from "../../test/fake-service.ts";
import type { FakeService } from "../../test/fake-service.ts";
import { challenge, declined, open, pay, poll, processing, succeeded } from "../../test/flow-test.ts";
import { english, loadPage, loadOnDemand } from "../../test/load-page.ts";
import { idleLimitMs } from "../form/wipe-when-idle.ts";
import { holdInit } from "../host/init-inbox.ts";
import type { Page } from "../page/page.ts";
import type { CallResult } from "../service/frame-call.ts";
import { openPath, post } from "../service/send-request.ts";
import { startPaying } from "./pay.ts";

const shop = "https://shop.example";
const number = "4242424242424242";

let service: FakeService;
let page: Page;
let events: [name: string, detail: unknown][];
let host: RemoteProxy<{ [K in keyof FrameVerbs]: FrameVerbs[K] }>;
let port: MessagePort;

/** Starts the page in an iframe whose host page has sent a port. */
function startIn(changes: Partial<typeof window> = {}): Promise<typeof host> {
  return startHeld(changes)();
}

/** @returns a function that sends the host page's port */
function startHeld(changes: Partial<typeof window> = {}): () => Promise<typeof host> {
  const parent = new EventTarget();
  const frame = Object.assign(new EventTarget(), { parent });
  // The fake implements only what the inbox uses.
  const inbox = holdInit(frame as unknown as Window);
  const channel = new MessageChannel();
  port = channel.port1;
  const init = {
    source: parent,
    origin: shop,
    data: { type: initType, protocol: [1] },
    ports: [channel.port2],
  };
  const event = (name: string, detail: unknown) => void events.push([name, detail]);
  const given = { parent, isSecureContext: true, crypto, ...changes };
  const properties = Object.entries(given).map(([name, value]) => [name, { value }] as const);
  const view = Object.create(window, Object.fromEntries(properties)) as typeof window;
  startPaying({
    page,
    texts: english,
    inbox,
    sessionId,
    secret: "secret",
    opening: service.send(openPath(sessionId), post({ client_secret: "secret" })),
    send: service.send,
    window: view,
  });
  return () => {
    frame.dispatchEvent(Object.assign(new Event("message"), init));
    return connect<typeof host>({ messenger: new PortMessenger({ port }), methods: { event }, timeout: 2000 }).promise;
  };
}

/** Starts the page and types a card. */
async function start(
  changes: Partial<FrameSession["session"]> = {},
  payment: FramePayment | null = null,
): Promise<void> {
  service.on(open, service.session({ expires_at: Math.floor(Date.now() / 1000) + 3600, ...changes }, payment));
  host = await startIn();
  typeCard();
}

function typeCard(): void {
  page.number.value = number;
  page.expiry.value = "12 / 40";
  page.cvc.value = "123";
  for (const input of [page.number, page.expiry, page.cvc]) input.dispatchEvent(new Event("change", { bubbles: true }));
}

const sentEvents = (name: string) => events.filter(([sent]) => sent === name).map(([, detail]) => detail);
const requests = (name: string) => service.requests.filter(({ method, path }) => `${method} ${path}` === name);

/** A form that is always visible. The DOM of these tests draws nothing, so its own observer reports nothing. */
class SeesEverything {
  readonly report: (entries: { intersectionRatio: number }[]) => void;
  constructor(report: SeesEverything["report"]) {
    this.report = report;
  }
  observe() {
    queueMicrotask(() => this.report([{ intersectionRatio: 1 }]));
  }
  disconnect() {}
}

/** A form that is within all bounds, but covered. */
class SeesThatItIsCovered extends SeesEverything {
  readonly trackVisibility = true;
  override observe() {
    queueMicrotask(() => this.report([Object.assign({ intersectionRatio: 1 }, { isVisible: false })]));
  }
}

beforeEach(async () => {
  vi.stubGlobal("IntersectionObserver", SeesEverything);
  events = [];
  service = await createFakeService();
  page = loadPage();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  window.history.replaceState(null, "");
  port.close();
});

describe("the page in an iframe created by a loader", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    Object.defineProperty(page, "settings", { value: { appearance: { theme: "light" } } });
    service.on(open, service.session({ expires_at: Math.floor(Date.now() / 1000) + 3600 }));
  });

  it("takes no payment without a message from the loader, and says so, because a copied iframe has no loader", async () => {
    const introduce = startHeld();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(page.pay.disabled).toBe(true);
    // Refreshes a page that isn't waiting for anything.
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    window.dispatchEvent(new Event("online"));
    // The host page may only be busy.
    await vi.advanceTimersByTimeAsync(10_000);
    expect(page.main.dataset["view"]).toBe("form");
    await vi.advanceTimersByTimeAsync(60_000);
    expect([page.pay.disabled, page.main.dataset["result"]]).toEqual([true, "invalid"]);
    await introduce();
    await vi.waitFor(() => expect([page.pay.disabled, page.main.dataset["view"]]).toEqual([false, "form"]));
  });

  it("returns the focus to its field if the loader's message comes late", async () => {
    const introduce = startHeld();
    page.expiry.focus();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(document.activeElement).toBe(page.result);
    await introduce();
    await vi.waitFor(() => expect(page.main.dataset["view"]).toBe("form"));
    expect(document.activeElement).toBe(page.expiry);
  });

  it("waits for the loader's message also after a reload during which a payment's response was lost", async () => {
    window.history.replaceState({ secret: "secret", lost: "request-1" }, "");
    const introduce = startHeld();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([page.pay.disabled, requests(open).length]).toEqual([true, 1]);
    await introduce();
    await vi.waitFor(() => expect(page.pay.disabled).toBe(false));
    expect(requests(open).map(({ body }) => Reflect.get(body ?? {}, "lost_request") as unknown)).toEqual([
      undefined,
      "request-1",
    ]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(page.main.dataset["view"]).toBe("form");
  });

  it("takes a payment once the loader has sent its message", async () => {
    await startHeld()();
    await vi.waitFor(() => expect(page.pay.disabled).toBe(false));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(page.main.dataset["view"]).toBe("form");
  });
});

describe("the page in an iframe", () => {
  it.each([
    ["expired before it was opened", "expired", 1, ["expire", {}]],
    ["was canceled", "canceled", 2_000_000_000, ["error", { code: "session_invalid", isPaymentPending: false }]],
  ] as const)("never reports `ready` for a session that %s", async (_what, status, expires_at, end) => {
    await start({ status, expires_at });
    await vi.waitFor(() => expect(events).toContainEqual(end));
    expect(sentEvents("ready")).toEqual([]);
  });

  /** Starts with a form of 300 pixels. Returns a function that gives it another height. */
  async function startWithHeight(): Promise<(height: number) => void> {
    let height = 300;
    let resized = () => {};
    vi.stubGlobal(
      "ResizeObserver",
      class {
        constructor(callback: () => void) {
          resized = callback;
        }
        observe() {}
      },
    );
    vi.spyOn(page.main, "getBoundingClientRect").mockImplementation(() => new DOMRect(0, 0, 400, height));
    await start();
    await vi.waitFor(() => expect(sentEvents("resize")).toEqual([{ height: 300 }]));
    return (next) => {
      height = next;
      resized();
    };
  }

  it("reports that it has grown only with the next report while the customer is in a field", async () => {
    const resize = await startWithHeight();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    page.number.focus();
    resize(330);
    await host.update({}); // the event would arrive before the reply
    expect(sentEvents("resize")).toHaveLength(1);
    vi.advanceTimersByTime(500);
    await host.update({});
    expect(sentEvents("resize")).toEqual([{ height: 300 }, { height: 330 }]);
    page.number.blur();
    resize(360);
    await host.update({});
    expect(sentEvents("resize")).toHaveLength(3);
  });

  it("reports its height only once a press is no longer held, because the host page must not learn of the press", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    vi.stubGlobal("IntersectionObserver", SeesThatItIsCovered);
    const resize = await startWithHeight();
    page.number.focus();
    page.form.dispatchEvent(new Event("submit", { cancelable: true }));
    resize(330);
    await vi.advanceTimersByTimeAsync(900);
    await host.update({});
    expect([page.pay.getAttribute("aria-disabled"), sentEvents("resize").length]).toEqual(["true", 1]);
    await vi.advanceTimersByTimeAsync(1_000);
    await host.update({});
    expect(sentEvents("resize")).toEqual([{ height: 300 }, { height: 330 }]);
  });

  it("is ready when the session is, and pays when the customer presses Pay", async () => {
    await start();
    await vi.waitFor(() => expect(sentEvents("ready")).toMatchObject([{ sessionId, livemode: false }]));
    service.on(pay, service.payment(succeeded, { status: "complete" }));
    page.form.dispatchEvent(new Event("submit", { cancelable: true }));
    await vi.waitFor(() => expect(sentEvents("complete")).toHaveLength(1));
    expect(page.main.dataset["result"]).toBe("succeeded");
    expect(JSON.stringify(events)).not.toContain(number.slice(0, 6));
  });

  it("lets the host page pay only if the session allows it", async () => {
    await start();
    await expect(host.submit()).resolves.toEqual({ type: "refused" });
    expect(requests(pay)).toEqual([]);
  });

  it("returns to the host page how its attempt ended, in the words that the customer reads", async () => {
    await start({ submit_button: "merchant" });
    service.on(
      pay,
      service.payment(declined(), { attempts_left: 4 }),
      service.payment(succeeded, { status: "complete" }),
    );
    const refusal = await host.submit();
    const message = page.notice.textContent;
    expect(message).not.toBe("");
    expect(refusal).toEqual({ type: "decline", code: "insufficient_funds", message, retryable: true });
    await expect(host.submit()).resolves.toMatchObject({ type: "validation", errors: [{ field: "cvc" }] });
    page.cvc.value = "123";
    await expect(host.submit()).resolves.toEqual({ type: "complete", sessionId });
  });

  it("validates the form at the next report when the host page asks", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) + 130, toFake: ["Date", "setTimeout"] });
    await start();
    page.cvc.value = "";
    const answer = host.validate();
    await host.report(); // messages arrive in order, so the first call has arrived by now
    vi.advanceTimersByTime(369);
    expect(page.cvc.hasAttribute("aria-invalid")).toBe(false);
    page.cvc.value = "123";
    vi.advanceTimersByTime(1);
    await expect(answer).resolves.toEqual({ valid: true, errors: [] });
  });

  it("takes no payment while `disabled`, and keeps what was typed", async () => {
    await start({ submit_button: "merchant" });
    await expect(host.update({ disabled: true })).resolves.toEqual([]);
    expect([page.pay.disabled, page.number.readOnly]).toEqual([true, true]);
    await expect(host.submit()).resolves.toEqual({ type: "busy" });
    await host.update({ disabled: false });
    expect([page.pay.disabled, page.number.readOnly]).toEqual([false, false]);
    expect(page.number.value).toBe("4242 4242 4242 4242");
  });

  it("returns the paths of the settings it refuses, and accepts none that affect anything but the form", async () => {
    await start();
    const refused = await host.update({ amount: 1, appearance: { theme: "neon" }, returnUrl: "https://evil.example" });
    expect(refused.toSorted()).toEqual(["amount", 'appearance.theme ("neon")', "returnUrl"]);
    expect(page.amount.textContent).toContain("49");
  });

  it("requests a challenge window that fits the available space, and opens the full page if the host page wants that", async () => {
    await start({ submit_button: "merchant" });
    await host.room({ width: 280, height: 640, full: 360 });
    await host.update({ challenge: "redirect", defaultValues: { country: "DE" } });
    service.on(pay, service.payment(challenge));
    service.on(poll, service.payment(challenge));
    void host.submit();
    await vi.waitFor(() => expect(sentEvents("leave")).toHaveLength(1));
    expect(requests(pay)[0]?.body).toMatchObject({ challenge_window_size: "05", billing_details: { country: "DE" } });
    expect(sentEvents("challengestart")).toEqual([]);
    await expect(host.submit()).resolves.toEqual({ type: "busy" });
  });

  it("waits with a challenge found after a reload until the host page has said how to show it", async () => {
    service.on(poll, service.payment(challenge));
    await start({}, challenge);
    await host.update({ challenge: "redirect" });
    await host.room({ width: 280, height: 640, full: 360 });
    await vi.waitFor(() => expect(sentEvents("leave")).toHaveLength(1));
    expect([sentEvents("challengestart"), page.bank.childElementCount]).toEqual([[], 0]);
  });

  it("loads the code for the bank's page only when it is needed", async () => {
    await start({ submit_button: "merchant" });
    // Not in the document, so that the runner's iframe loads nothing.
    page.bank.remove();
    await host.room({ width: 400, height: 900, full: null });
    service.on(pay, service.payment(challenge));
    service.on(poll, service.payment(declined({ challenge_outcome: "failed", reason: "authentication_failed" })));
    await expect(host.submit()).resolves.toMatchObject({ type: "decline", code: "authentication_failed" });
    expect(sentEvents("challengestart")).toEqual([{ windowSize: "02", presentation: "inline" }]);
  });

  it("reports what happened without typed data or secrets", async () => {
    await start();
    await vi.waitFor(() => expect(sentEvents("ready")).toHaveLength(1));
    const lines = await host.report();
    expect(lines.map(([, what]) => what)).toEqual(expect.arrayContaining(["event ready", "frame linked"]));
    expect(JSON.stringify(lines.map(([, what]) => what))).not.toMatch(/\d|secret|shop/);
  });

  it("wipes the card after ten idle minutes, even during a long payment", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    await start({ submit_button: "merchant" });
    service.on(pay, service.payment(processing));
    service.on(poll, service.payment(processing));
    void host.submit();
    await vi.waitFor(() => expect(sentEvents("submit")).toHaveLength(1));
    expect(page.number.value).not.toBe("");
    await vi.advanceTimersByTimeAsync(idleLimitMs);
    expect([page.number.value, page.expiry.value, page.cvc.value]).toEqual(["", "", ""]);
  });

  it("wipes the promotion code after ten idle minutes, because a card number may have been typed there", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    await start();
    const code = document.createElement("input");
    page.main.append(code);
    code.value = "4242";
    await vi.advanceTimersByTimeAsync(idleLimitMs);
    expect(code.value).toBe("");
  });

  it("wipes the card when the host page is about to remove the iframe", async () => {
    await start();
    await host.destroy();
    expect([page.number.value, page.expiry.value, page.cvc.value]).toEqual(["", "", ""]);
  });

  it("announces that a session is about to expire only after `ready`", async () => {
    await start({ expires_at: Math.floor(Date.now() / 1000) + 30 });
    await vi.waitFor(() => expect(events.map(([name]) => name).slice(0, 3)).toEqual(["title", "ready", "expiring"]));
  });

  it.each([
    ["payment", "Secure payment", "Paiement sécurisé"],
    ["setup", "Save a card", "Enregistrer une carte"],
  ] as const)("tells the host page what a form of mode %s is for, in the customer's language", async (mode, en, fr) => {
    await start({ mode });
    await vi.waitFor(() => expect(sentEvents("title")).toEqual([{ title: en }]));
    await host.update({ locale: "fr" });
    await vi.waitFor(() => expect(sentEvents("title")).toEqual([{ title: en }, { title: fr }]));
  });
});

describe("a device whose clock is wrong", () => {
  const hour = 3_600_000;
  const inSeconds = (ms: number) => Math.floor(ms / 1000);
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date", "setTimeout", "clearTimeout"] });
  });

  it("uses the service's time for the countdown and the expiry check when the clock is fast", async () => {
    service.aheadMs = hour;
    await start({ expires_at: inSeconds(Date.now()) - 3_600 + 90 });
    await vi.waitFor(() => expect(sentEvents("ready")).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(29_000);
    expect([sentEvents("expiring"), requests(open).length]).toEqual([[], 1]);
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.waitFor(() => expect(sentEvents("expiring")).toEqual([{ secondsLeft: 60 }]));
    expect(requests(open)).toHaveLength(1);
  });

  it("uses the service's time for the countdown and the expiry check when the clock is slow", async () => {
    service.aheadMs = -hour;
    await start({ expires_at: inSeconds(Date.now()) + 3_600 + 30 });
    await vi.waitFor(() => expect(sentEvents("expiring")).toEqual([{ secondsLeft: 30 }]));
    await vi.advanceTimersByTimeAsync(31_000);
    expect(requests(open)).toHaveLength(2);
  });

  it("reports `expire` only when the time is over, not when the shop canceled the session", async () => {
    service.aheadMs = hour;
    await start({ expires_at: inSeconds(Date.now()) - 1_800 });
    await vi.waitFor(() => expect(sentEvents("ready")).toHaveLength(1));
    service.on(open, service.session({ expires_at: inSeconds(Date.now()) - 1_800, status: "expired" }));
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    await vi.waitFor(() => expect(sentEvents("error")).toEqual([{ code: "session_expired" }]));
    expect(sentEvents("expire")).toEqual([]);
  });

  it("doesn't treat a valid card as expired", async () => {
    service.aheadMs = 12 * 365 * 24 * hour;
    vi.setSystemTime(Date.UTC(2042, 0, 1));
    await start();
    const answer = host.validate();
    await host.report();
    await vi.advanceTimersByTimeAsync(500);
    await expect(answer).resolves.toEqual({ valid: true, errors: [] });
  });
});

describe("while the session is being refreshed", () => {
  let answer: (result: CallResult) => void;
  beforeEach(async () => {
    await start({ submit_button: "merchant" });
    service.on(open, new Promise<CallResult>((resolve) => (answer = resolve)));
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    // The pages of earlier tests also receive this event.
    await vi.waitUntil(() => requests(open).length > 1);
    typeCard(); // fields are wiped when a page comes back from the cache
  });

  it("a press waits for the response and pays once", async () => {
    service.on(pay, service.payment(succeeded, { status: "complete" }));
    page.form.dispatchEvent(new Event("submit", { cancelable: true }));
    await vi.waitFor(() => expect(page.payLabel.textContent).toBe("Sending…"));
    expect(page.pay.getAttribute("aria-disabled")).toBe("true");
    await expect(host.submit()).resolves.toEqual({ type: "busy" });
    expect(requests(pay)).toEqual([]);
    answer(service.session({ submit_button: "merchant" }));
    await vi.waitFor(() => expect(sentEvents("complete")).toHaveLength(1));
    expect(requests(pay)).toHaveLength(1);
  });

  it("a form that the host page disabled can be enabled again afterwards, with or without a response", async () => {
    await host.update({ disabled: true });
    expect(page.pay.disabled).toBe(true);
    answer(unreachable);
    await host.update({ disabled: false });
    expect([page.pay.disabled, page.number.readOnly]).toEqual([false, false]);
  });
});

describe("a billing detail that the service refuses because it looks like a card number", () => {
  // Import it now, so that compiling doesn't count toward a test's time limit.
  beforeAll(loadOnDemand);
  const email = "4242424242424242@mail.example";
  const refusedBilling = (param: string) => ({ ...refused("parameter_invalid"), param });
  const sent = () => requests(pay).map(({ body }) => (body as { billing_details?: object }).billing_details);

  it("is marked in its field, and the card isn't blamed", async () => {
    await start({ submit_button: "merchant" });
    await host.update({ fields: { email: "required" }, defaultValues: { email } });
    const input = await vi.waitFor(() => getByLabelText<HTMLInputElement>(document.body, "Email"));
    expect(input.value).toBe(email);
    service.on(pay, refusedBilling("billing_details.email"), service.payment(succeeded, { status: "complete" }));
    await expect(host.submit()).resolves.toMatchObject({ type: "decline", code: "try_again" });
    expect(input.getAttribute("aria-invalid")).toBe("true");
    expect(page.notice.textContent).toBe("You have not been charged.");
    expect(sentEvents("decline")).toHaveLength(1);
    expect(sent()).toEqual([{ email }]);

    input.value = "ada@mail.example";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    expect(input.hasAttribute("aria-invalid")).toBe(false);
    await expect(host.submit()).resolves.toMatchObject({ type: "complete" });
    expect(sent()[1]).toEqual({ email: "ada@mail.example" });
  });

  it("is dropped if the host page gave it for a field that isn't shown", async () => {
    await start({ submit_button: "merchant" });
    await host.update({ defaultValues: { email, name: "4242 4242 4242", country: "DE" } });
    service.on(
      pay,
      refusedBilling("billing_details.name"),
      refusedBilling("billing_details.email"),
      service.payment(succeeded, { status: "complete" }),
    );
    await expect(host.submit()).resolves.toMatchObject({ type: "complete" });
    expect(sent()).toEqual([
      { name: "4242 4242 4242", email, country: "DE" },
      { email, country: "DE" },
      { country: "DE" },
    ]);
    expect(sentEvents("submit")).toHaveLength(1);
    expect(sentEvents("decline")).toEqual([]);
  });
});

describe("an iframe that can't be used", () => {
  const why = `GET /frame/sessions/${sessionId}/why?origin=https%3A%2F%2Fshop.example`;
  const listed = (isListed: boolean) =>
    service.on(why, { kind: "answer", body: { session: "open", listed: isListed } });

  it("tells a listed host page that the secret is wrong, and handles none of its requests", async () => {
    service.on(open, refused("session_invalid", 404));
    listed(true);
    host = await startIn();
    await vi.waitFor(() => expect(events).toEqual([["error", { code: "session_invalid" }]]));
    await expect(host.update({ locale: "de" }, new CallOptions({ timeout: 200 }))).rejects.toMatchObject({
      code: "METHOD_CALL_TIMEOUT",
    });
    expect(page.main.dataset["result"]).toBe("invalid");
    page.number.dispatchEvent(new Event("focus"));
    // Returning to this page asks the service once more.
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    await vi.waitFor(() => expect(requests(open).length).toBeGreaterThan(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(events).toHaveLength(1);
    expect(page.main.dataset["result"]).toBe("invalid");
  });

  it("tells no other host page", async () => {
    service.on(open, refused("session_invalid", 404));
    listed(false);
    await expect(startIn()).rejects.toMatchObject({ code: "CONNECTION_TIMEOUT" });
    expect(events).toEqual([]);
  });

  it("says that the browser is too old if a card couldn't be encrypted", async () => {
    service.on(open, service.session());
    listed(true);
    await startIn({ isSecureContext: false });
    await vi.waitFor(() => expect(events).toEqual([["error", { code: "unsupported_browser" }]]));
    expect(page.main.dataset["result"]).toBe("unsupported");
  });
});
