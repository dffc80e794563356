import { initType } from "@oriel/protocol/windows";
import type { FramePayment, FrameSession } from "@oriel/protocol/frame";
import type { FrameVerbs } from "@oriel/protocol/windows";
import { CallOptions, PortMessenger, connect } from "penpal";
import type { RemoteProxy } from "penpal";
import { getByLabelText } from "@testing-library/dom";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createFakeService, refused, sessionId, unreachable } from "../../test/fake-service.ts";
import type { FakeService } from "../../test/fake-service.ts";
import { challenge, declined, look, open, pay, processing, succeeded } from "../../test/flow-test.ts";
import { english, loadPage, loadOnDemand } from "../../test/load-page.ts";
import { openSession } from "../service/frame-call.ts";
import type { CallResult } from "../service/frame-call.ts";
import { holdInit } from "../host/init-inbox.ts";
import type { Page } from "../page/page.ts";
import { startPaying } from "./pay.ts";
import { idleLimitMs } from "../form/wipe-when-idle.ts";

const shop = "https://shop.example";
const number = "4242424242424242";

let service: FakeService;
let page: Page;
let events: [name: string, detail: unknown][];
let host: RemoteProxy<{ [K in keyof FrameVerbs]: FrameVerbs[K] }>;
let port: MessagePort;

/** The page in a frame whose host page has handed a port over. */
function startIn(changes: Partial<typeof window> = {}): Promise<typeof host> {
  return startHeld(changes)();
}

/** @returns what hands the host page's port over. */
function startHeld(changes: Partial<typeof window> = {}): () => Promise<typeof host> {
  const parent = new EventTarget();
  const frame = Object.assign(new EventTarget(), { parent });
  // The parts of a window that the inbox uses.
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
  const openAnew = () => openSession(service.call, sessionId, "secret");
  startPaying({
    page,
    texts: english,
    inbox,
    sessionId,
    opening: openAnew(),
    open: openAnew,
    call: service.call,
    window: view,
  });
  return () => {
    frame.dispatchEvent(Object.assign(new Event("message"), init));
    return connect<typeof host>({ messenger: new PortMessenger({ port }), methods: { event }, timeout: 2000 }).promise;
  };
}

/** Starts the page, and types a card. */
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

const told = (name: string) => events.filter(([told]) => told === name).map(([, detail]) => detail);
const asked = (name: string) => service.asked.filter(({ method, path }) => `${method} ${path}` === name);

beforeEach(async () => {
  events = [];
  service = await createFakeService();
  page = loadPage();
});
afterEach(() => {
  vi.useRealTimers();
  port.close();
});

describe("the page in an iframe that a loader has made", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    Object.defineProperty(page, "settings", { value: { appearance: { theme: "light" } } });
    service.on(open, service.session({ expires_at: Math.floor(Date.now() / 1000) + 3600 }));
  });

  it("takes no payment before the loader has spoken, and says so when it does not: a copy of the iframe has no loader", async () => {
    const introduce = startHeld();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(page.pay.disabled).toBe(true);
    // What brings a page that nobody waits for up to date.
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    window.dispatchEvent(new Event("online"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect([page.pay.disabled, page.main.dataset["result"]]).toEqual([true, "invalid"]);
    await introduce();
    await vi.waitFor(() => expect([page.pay.disabled, page.main.dataset["view"]]).toEqual([false, "form"]));
  });

  it("takes it once the loader has spoken", async () => {
    await startHeld()();
    await vi.waitFor(() => expect(page.pay.disabled).toBe(false));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(page.main.dataset["view"]).toBe("form");
  });
});

describe("the page in a frame", () => {
  it.each([
    ["ran out of time before it was opened", "expired", 1, ["expire", {}]],
    ["was canceled", "canceled", 2_000_000_000, ["error", { code: "session_invalid" }]],
  ] as const)("is never ready for a session that %s", async (_what, status, expires_at, end) => {
    await start({ status, expires_at });
    await vi.waitFor(() => expect(events).toContainEqual(end));
    expect(told("ready")).toEqual([]);
  });

  it("is ready when the session is, and pays when the customer presses Pay", async () => {
    await start();
    await vi.waitFor(() => expect(told("ready")).toMatchObject([{ sessionId, livemode: false }]));
    service.on(pay, service.payment(succeeded, { status: "complete" }));
    page.form.dispatchEvent(new Event("submit", { cancelable: true }));
    await vi.waitFor(() => expect(told("complete")).toHaveLength(1));
    expect(page.main.dataset["result"]).toBe("succeeded");
    expect(JSON.stringify(events)).not.toContain(number.slice(0, 6));
  });

  it("lets the host page pay only where the session says so", async () => {
    await start();
    await expect(host.submit()).resolves.toEqual({ type: "refused" });
    expect(asked(pay)).toEqual([]);
  });

  it("answers the host page how its try ended, in the words that the customer reads", async () => {
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

  it("checks the form at the next report, whenever the host page asks", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) + 130, toFake: ["Date", "setTimeout"] });
    await start();
    page.cvc.value = "";
    const answer = host.validate();
    await host.report(); // asked after it, so that one has arrived
    vi.advanceTimersByTime(369);
    expect(page.cvc.hasAttribute("aria-invalid")).toBe(false);
    page.cvc.value = "123";
    vi.advanceTimersByTime(1);
    await expect(answer).resolves.toEqual({ valid: true, errors: [] });
  });

  it("is held by `disabled`, and keeps what was typed", async () => {
    await start({ submit_button: "merchant" });
    await expect(host.update({ disabled: true })).resolves.toEqual([]);
    expect([page.pay.disabled, page.number.readOnly]).toEqual([true, true]);
    await expect(host.submit()).resolves.toEqual({ type: "busy" });
    await host.update({ disabled: false });
    expect([page.pay.disabled, page.number.readOnly]).toEqual([false, false]);
    expect(page.number.value).toBe("4242 4242 4242 4242");
  });

  it("names the settings that it refuses, and takes none that reach beyond the form", async () => {
    await start();
    const refused = await host.update({ amount: 1, appearance: { theme: "neon" }, returnUrl: "https://evil.example" });
    expect(refused.toSorted()).toEqual(["amount", "appearance.theme", "returnUrl"]);
    expect(page.amount.textContent).toContain("49");
  });

  it("asks the bank for a window that fits what there will be, and leaves where the host page says so", async () => {
    await start({ submit_button: "merchant" });
    await host.room({ width: 280, height: 640, full: 360 });
    await host.update({ challenge: "redirect", defaultValues: { country: "DE" } });
    service.on(pay, service.payment(challenge));
    service.on(look, service.payment(challenge));
    void host.submit();
    await vi.waitFor(() => expect(told("leave")).toHaveLength(1));
    expect(asked(pay)[0]?.body).toMatchObject({ challenge_window_size: "05", billing_details: { country: "DE" } });
    expect(told("challengestart")).toEqual([]);
    await expect(host.submit()).resolves.toEqual({ type: "busy" });
  });

  it("waits, for a challenge that a reload finds, until the host page has said how it wants it", async () => {
    service.on(look, service.payment(challenge));
    await start({}, challenge);
    await host.update({ challenge: "redirect" });
    await host.room({ width: 280, height: 640, full: 360 });
    await vi.waitFor(() => expect(told("leave")).toHaveLength(1));
    expect([told("challengestart"), page.bank.childElementCount]).toEqual([[], 0]);
  });

  it("shows the bank's page with code that is fetched when it is needed", async () => {
    await start({ submit_button: "merchant" });
    // Not in the document, so that the runner's frame loads nothing.
    page.bank.remove();
    await host.room({ width: 400, height: 900, full: null });
    service.on(pay, service.payment(challenge));
    service.on(look, service.payment(declined({ challenge_outcome: "failed", reason: "authentication_failed" })));
    await expect(host.submit()).resolves.toMatchObject({ type: "decline", code: "authentication_failed" });
    expect(told("challengestart")).toEqual([{ windowSize: "02", presentation: "inline" }]);
  });

  it("reports what happened without a word of what was typed or of any secret", async () => {
    await start();
    await vi.waitFor(() => expect(told("ready")).toHaveLength(1));
    const lines = await host.report();
    expect(lines.map(([, what]) => what)).toEqual(expect.arrayContaining(["event ready", "frame linked"]));
    expect(JSON.stringify(lines.map(([, what]) => what))).not.toMatch(/\d|secret|shop/);
  });

  it("keeps no card for longer than ten idle minutes, even while the bank takes its time", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    await start({ submit_button: "merchant" });
    service.on(pay, service.payment(processing));
    service.on(look, service.payment(processing));
    void host.submit();
    await vi.waitFor(() => expect(told("submit")).toHaveLength(1));
    expect(page.number.value).not.toBe("");
    await vi.advanceTimersByTimeAsync(idleLimitMs);
    expect([page.number.value, page.expiry.value, page.cvc.value]).toEqual(["", "", ""]);
  });

  it("forgets the card when the host page is about to take the frame away", async () => {
    await start();
    await host.destroy();
    expect([page.number.value, page.expiry.value, page.cvc.value]).toEqual(["", "", ""]);
  });

  it("announces the end of a session that is nearly over, after it is ready", async () => {
    await start({ expires_at: Math.floor(Date.now() / 1000) + 30 });
    await vi.waitFor(() => expect(events.map(([name]) => name).slice(0, 2)).toEqual(["ready", "expiring"]));
  });
});

describe("a device whose clock is wrong", () => {
  const hour = 3_600_000;
  const inSeconds = (ms: number) => Math.floor(ms / 1000);
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date", "setTimeout", "clearTimeout"] });
  });

  it("counts down and asks by the service's time when it is ahead", async () => {
    service.aheadMs = hour;
    await start({ expires_at: inSeconds(Date.now()) - 3_600 + 90 });
    await vi.waitFor(() => expect(told("ready")).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(29_000);
    expect([told("expiring"), asked(open).length]).toEqual([[], 1]);
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.waitFor(() => expect(told("expiring")).toEqual([{ secondsLeft: 60 }]));
    expect(asked(open)).toHaveLength(1);
  });

  it("counts down and asks by the service's time when it is behind", async () => {
    service.aheadMs = -hour;
    await start({ expires_at: inSeconds(Date.now()) + 3_600 + 30 });
    await vi.waitFor(() => expect(told("expiring")).toEqual([{ secondsLeft: 30 }]));
    await vi.advanceTimersByTimeAsync(31_000);
    expect(asked(open)).toHaveLength(2);
  });

  it("says that the time is over only when it is, and not when the shop ended the session", async () => {
    service.aheadMs = hour;
    await start({ expires_at: inSeconds(Date.now()) - 1_800 });
    await vi.waitFor(() => expect(told("ready")).toHaveLength(1));
    service.on(open, service.session({ expires_at: inSeconds(Date.now()) - 1_800, status: "expired" }));
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    await vi.waitFor(() => expect(told("error")).toEqual([{ code: "session_expired" }]));
    expect(told("expire")).toEqual([]);
  });

  it("doesn't take a card for expired", async () => {
    service.aheadMs = 12 * 365 * 24 * hour;
    vi.setSystemTime(Date.UTC(2042, 0, 1));
    await start();
    const answer = host.validate();
    await host.report();
    await vi.advanceTimersByTimeAsync(500);
    await expect(answer).resolves.toEqual({ valid: true, errors: [] });
  });
});

describe("while the session is asked about again", () => {
  let answer: (result: CallResult) => void;
  beforeEach(async () => {
    await start({ submit_button: "merchant" });
    service.on(open, new Promise<CallResult>((resolve) => (answer = resolve)));
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    // The pages of the tests before this one hear it too.
    await vi.waitUntil(() => asked(open).length > 1);
    typeCard(); // the browser's memory gives no card back
  });

  it("a press waits for the answer and pays once", async () => {
    service.on(pay, service.payment(succeeded, { status: "complete" }));
    page.form.dispatchEvent(new Event("submit", { cancelable: true }));
    await vi.waitFor(() => expect(page.pay.getAttribute("aria-disabled")).toBe("true"));
    expect(page.payLabel.textContent).toBe("Sending…");
    await expect(host.submit()).resolves.toEqual({ type: "busy" });
    expect(asked(pay)).toEqual([]);
    answer(service.session({ submit_button: "merchant" }));
    await vi.waitFor(() => expect(told("complete")).toHaveLength(1));
    expect(asked(pay)).toHaveLength(1);
  });

  it("what the host page disables can be used again after it, answer or not", async () => {
    await host.update({ disabled: true });
    expect(page.pay.disabled).toBe(true);
    answer(unreachable);
    await host.update({ disabled: false });
    expect([page.pay.disabled, page.number.readOnly]).toEqual([false, false]);
  });
});

describe("what stands beside the card and may be a card's number", () => {
  // Compiled before anyone waits for it.
  beforeAll(loadOnDemand);
  const email = "4242424242424242@mail.example";
  const refusedBeside = (param: string) => ({ ...refused("parameter_invalid"), param });
  const sent = () => asked(pay).map(({ body }) => (body as { billing_details?: object }).billing_details);

  it("is marked in its field, and the card is not blamed", async () => {
    await start({ submit_button: "merchant" });
    await host.update({ fields: { email: "required" }, defaultValues: { email } });
    const input = await vi.waitFor(() => getByLabelText<HTMLInputElement>(document.body, "Email"));
    expect(input.value).toBe(email);
    service.on(pay, refusedBeside("billing_details.email"), service.payment(succeeded, { status: "complete" }));
    await expect(host.submit()).resolves.toMatchObject({ type: "decline", code: "try_again" });
    expect(input.getAttribute("aria-invalid")).toBe("true");
    expect(page.notice.textContent).toBe("You have not been charged.");
    expect(told("decline")).toHaveLength(1);
    expect(sent()).toEqual([{ email }]);

    input.value = "ada@mail.example";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    expect(input.hasAttribute("aria-invalid")).toBe(false);
    await expect(host.submit()).resolves.toMatchObject({ type: "complete" });
    expect(sent()[1]).toEqual({ email: "ada@mail.example" });
  });

  it("is left out where the host page gave it for a field that is not asked for", async () => {
    await start({ submit_button: "merchant" });
    await host.update({ defaultValues: { email, name: "4242 4242 4242", country: "DE" } });
    service.on(
      pay,
      refusedBeside("billing_details.name"),
      refusedBeside("billing_details.email"),
      service.payment(succeeded, { status: "complete" }),
    );
    await expect(host.submit()).resolves.toMatchObject({ type: "complete" });
    expect(sent()).toEqual([
      { name: "4242 4242 4242", email, country: "DE" },
      { email, country: "DE" },
      { country: "DE" },
    ]);
    expect(told("submit")).toHaveLength(1);
    expect(told("decline")).toEqual([]);
  });
});

describe("a frame that cannot be used", () => {
  const why = `GET /frame/sessions/${sessionId}/why?origin=https%3A%2F%2Fshop.example`;
  const listed = (isListed: boolean) =>
    service.on(why, { kind: "answer", body: { session: "open", listed: isListed } });

  it("tells a listed host page that the secret is wrong, and answers none of its questions", async () => {
    service.on(open, refused("session_invalid", 404));
    listed(true);
    host = await startIn();
    await vi.waitFor(() => expect(events).toEqual([["error", { code: "session_invalid" }]]));
    await expect(host.update({ locale: "de" }, new CallOptions({ timeout: 200 }))).rejects.toMatchObject({
      code: "METHOD_CALL_TIMEOUT",
    });
    expect(page.main.dataset["result"]).toBe("invalid");
    page.number.dispatchEvent(new Event("focus"));
    // Back to this page asks the service once more.
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    await vi.waitFor(() => expect(asked(open).length).toBeGreaterThan(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(events).toHaveLength(1);
    expect(page.main.dataset["result"]).toBe("invalid");
  });

  it("tells nobody else", async () => {
    service.on(open, refused("session_invalid", 404));
    listed(false);
    await expect(startIn()).rejects.toMatchObject({ code: "CONNECTION_TIMEOUT" });
    expect(events).toEqual([]);
  });

  it("says that the browser is too old where a card could not be encrypted", async () => {
    service.on(open, service.session());
    listed(true);
    await startIn({ isSecureContext: false });
    await vi.waitFor(() => expect(events).toEqual([["error", { code: "unsupported_browser" }]]));
    expect(page.main.dataset["result"]).toBe("unsupported");
  });
});
