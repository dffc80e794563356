import { beforeEach, describe, expect, it, vi } from "vitest";
import { declinedAs } from "../../test/declined-as.ts";
import { refused, sessionId, unreachable } from "../../test/fake-service.ts";
import {
  card,
  challenge,
  createFlowTest,
  declined,
  open,
  pay,
  poll,
  processing,
  refreshToEnd,
  sentence,
  succeeded,
} from "../../test/flow-test.ts";
import type { FlowTest } from "../../test/flow-test.ts";
import { watchForm } from "../form/watch-form.ts";
import { openSession } from "../service/frame-call.ts";
import type { CallResult } from "../service/frame-call.ts";
import text from "../texts/en.ts";
import { fill } from "../texts/fill.ts";

const paid = { outcome: text.form.outcomes.paying };

let t: FlowTest;
beforeEach(async () => {
  t = await createFlowTest();
});

describe("a lost connection", () => {
  beforeEach(() => t.flow.begin());

  it("looks up the payment first, and shows it as paid if it went through", async () => {
    t.service.on(pay, unreachable);
    t.service.on(open, unreachable, unreachable, t.service.session({ status: "complete" }, succeeded));
    await t.flow.pay(card);
    expect(t.service.paths().filter((path) => path === pay)).toHaveLength(1);
    expect(t.page.main.dataset["result"]).toBe("succeeded");
    expect(t.names()).not.toContain("decline");
  });

  it("lets the customer try again only after the service said that there is no payment", async () => {
    t.service.on(pay, unreachable, t.service.payment(succeeded));
    t.service.on(open, unreachable, t.service.session({}, null, false));
    const seen: unknown[] = [];
    t.atWaits.push(() => seen.push(t.page.notice.textContent, t.page.pay.getAttribute("aria-disabled")));
    await t.flow.pay(card);
    expect(seen).toEqual([text.form.notices.connectionLost.paying, "true"]);
    expect(t.page.notice.textContent).toBe(fill(text.form.notices.notStarted, paid));
    expect(t.page.pay.hasAttribute("aria-disabled")).toBe(false);
    await t.flow.pay(card);
    expect(t.names().at(-1)).toBe("complete");
  });

  it("asks about the request by its ID, only once", async () => {
    t.service.on(pay, unreachable);
    t.service.on(open, unreachable, t.service.session({}, null, false));
    await t.flow.pay(card);
    const ids = t.service.requests.map(({ body }) => Reflect.get(body ?? {}, "request_id") as unknown).filter(Boolean);
    expect(ids).toHaveLength(1);
    const [id] = ids;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await refreshToEnd(t);
    const opens = t.service.requests.filter(({ path }) => path.endsWith("/open"));
    expect(opens.map(({ body }) => Reflect.get(body ?? {}, "lost_request") as unknown)).toEqual([
      undefined,
      id,
      id,
      undefined,
    ]);
  });

  it("tells the host page what the customer reads when the request never arrived", async () => {
    t.service.on(pay, unreachable);
    t.service.on(open, t.service.session({ attempts_left: 3, payment_round: 1 }, null, false));
    const result = { code: "try_again", message: sentence("notStarted"), retryable: true };
    await expect(t.flow.pay(card)).resolves.toEqual({ type: "decline", ...result });
    expect(t.events).toEqual([
      ["submit", {}],
      ["decline", { ...result, attempt: 3, attemptsLeft: 3 }],
    ]);
    t.service.on(pay, t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.service.requests.at(-1)?.body).toMatchObject({ payment_round: 1 });
  });

  it("shows that the card was declined, not that the request never arrived", async () => {
    t.service.on(pay, unreachable);
    t.service.on(open, t.service.session({ attempts_left: 4 }, declined(), true));
    await expect(t.flow.pay(card)).resolves.toMatchObject({ type: "decline", code: "insufficient_funds" });
    expect(t.page.notice.textContent).toBe(declinedAs("insufficient_funds"));
    expect(t.names()).toEqual(["submit", "decline"]);
  });

  it("shows the payment that another page of the session started meanwhile", async () => {
    t.service.on(pay, unreachable);
    t.service.on(open, t.service.session({}, processing, false));
    t.service.on(poll, t.service.payment(succeeded));
    await t.flow.pay(card);
    await vi.waitUntil(() => !t.flow.isBusy());
    expect(t.names()).toEqual(["submit", "complete", "complete"]);
  });

  it("doesn't keep the card longer than an idle form would, however long the connection is lost", async () => {
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
    form.clear(); // what the idle timer does
    expect([t.page.number.value, t.page.expiry.value, t.page.cvc.value]).toEqual(["", "", ""]);
  });

  it("if it isn't restored, ends on a page that says so and has a button to check again, never in a decline", async () => {
    t.service.on(pay, unreachable);
    t.service.on(open, unreachable);
    await t.flow.pay(card);
    expect(t.page.main.dataset["result"]).toBe("unknown");
    expect(t.names()).toEqual(["submit", "error"]);
    t.service.on(open, t.service.session({ status: "complete" }, succeeded));
    t.page.result.querySelector("button")?.click();
    await vi.waitFor(() => expect(t.page.main.dataset["result"]).toBe("succeeded"));
  });

  it("looks up the payment when the network is back, and tells the host page the outcome", async () => {
    t.service.on(pay, unreachable);
    t.service.on(open, unreachable);
    await t.flow.pay(card);
    t.service.on(open, unreachable, t.service.session({}, null, false));
    await t.flow.online();
    expect(t.page.notice.textContent).toBe(fill(text.form.notices.notStarted, paid));
    expect(t.names()).toEqual(["submit", "error", "decline"]);
  });

  it("recovers from a failed start when the network is back", async () => {
    t.service.on(open, unreachable);
    await t.flow.begin();
    t.service.on(open, t.service.session());
    await t.flow.online();
    expect(t.shown()).toBe("form");
  });

  it("offers to try again after a failed start", async () => {
    t.service.on(open, unreachable);
    await refreshToEnd(t);
    await t.flow.begin();
    expect(t.page.main.dataset["result"]).toBe("unreachable");
    t.service.on(open, t.service.session());
    t.page.result.querySelector("button")?.click();
    await vi.waitFor(() => expect(t.shown()).toBe("form"));
    expect(t.page.pay.disabled).toBe(false);
  });

  it("doesn't stop the polling of a payment in progress", async () => {
    t.service.on(pay, t.service.payment(processing));
    t.service.on(poll, unreachable, unreachable, t.service.payment(declined()));
    await t.flow.pay(card);
    expect(t.page.notice.textContent).toBe(declinedAs("insufficient_funds"));
    expect(Math.max(...t.waits)).toBe(2000);
  });
});

describe("a reload after Pay was sent", () => {
  const sentId = ({ service }: FlowTest) =>
    service.requests.map(({ body }) => Reflect.get(body ?? {}, "request_id") as unknown).find((id) => id !== undefined);
  const lostRequests = ({ service }: FlowTest) =>
    service.requests.map(({ body }) => Reflect.get(body ?? {}, "lost_request") as unknown);
  /** The same tab with a new document. */
  const reloaded = () => createFlowTest(t.history);

  beforeEach(async () => {
    await t.flow.begin();
    t.service.on(pay, new Promise(() => {}));
    void t.flow.pay(card);
    await vi.waitUntil(() => t.service.paths().includes(pay));
  });

  it("says that the outcome is unknown while the service can't be reached, and looks it up when the network is back", async () => {
    const after = await reloaded();
    after.service.on(open, unreachable);
    await after.flow.begin();
    expect([after.page.main.dataset["result"], after.page.find("result-text").textContent]).toEqual([
      "unknown",
      text.form.results.unknown.paying[1],
    ]);
    expect(after.events).toEqual([["error", { code: "network" }]]);
    after.service.on(open, after.service.session({}, null, false));
    await after.flow.online();
    expect(after.shown()).toBe("form");
    expect(after.page.notice.textContent).toBe(fill(text.form.notices.notStarted, paid));
  });

  it("asks about that request until the service responds, even if the session was opened without asking", async () => {
    const after = await reloaded();
    after.service.on(open, after.service.session(), after.service.session({}, null, false));
    await after.flow.begin(openSession(after.service.call, sessionId, "secret"));
    expect(after.names()).toEqual(["decline"]);
    await refreshToEnd(after);
    expect(lostRequests(after)).toEqual([undefined, sentId(t), undefined]);
    const later = await reloaded();
    await later.flow.begin();
    expect([later.shown(), later.events]).toEqual(["form", []]);
  });

  it("shows the request's decline", async () => {
    const after = await reloaded();
    after.service.on(open, after.service.session({ attempts_left: 4 }, declined(), true));
    await after.flow.begin();
    expect(after.page.notice.textContent).toBe(declinedAs("insufficient_funds"));
  });

  it("leaves no card data in the history entry", () => {
    expect(t.history.state).toEqual({ secret: expect.any(String) as unknown, lost: sentId(t) });
  });
});

it.each([
  ["declined", () => t.service.payment(declined())],
  ["paid", () => t.service.payment(succeeded)],
  ["refused", () => refused("rate_limited", 429)],
])("doesn't keep the request for a reload once it was %s", async (_what, answer) => {
  await t.flow.begin();
  t.service.on(pay, answer());
  await t.flow.pay(card);
  expect(t.history.state).toEqual({ secret: expect.any(String) as unknown, lost: undefined });
});

describe("a press while offline", () => {
  beforeEach(async () => {
    await t.flow.begin();
    t.given.isOnline = false;
  });

  it("sends no card data, says so, and can be repeated", async () => {
    t.service.on(open, unreachable);
    const result = { code: "try_again", message: sentence("offline"), retryable: true };
    await expect(t.flow.pay(card)).resolves.toEqual({ type: "decline", ...result });
    expect(t.service.paths()).toEqual([open, open]);
    expect(t.events).toEqual([]);
    expect(t.page.notice.textContent).toBe(text.first.unreachable[1]);
    expect([t.shown(), t.page.pay.disabled, t.page.pay.hasAttribute("aria-disabled")]).toEqual(["form", false, false]);

    t.given.isOnline = true;
    t.service.on(pay, t.service.payment(succeeded));
    await expect(t.flow.pay(card)).resolves.toMatchObject({ type: "complete" });
  });

  it("pays if the browser is wrong about being offline", async () => {
    t.service.on(pay, t.service.payment(succeeded));
    await expect(t.flow.pay(card)).resolves.toMatchObject({ type: "complete" });
  });
});

describe("without the code for the steps with the bank", () => {
  it("nothing is sent, and the page's button reloads it", async () => {
    t = await createFlowTest(undefined, Promise.resolve(false));
    await t.flow.begin();
    expect(await t.flow.pay(card)).toEqual({ type: "failed" });
    expect(t.service.paths()).not.toContain(pay);
    expect(t.names()).not.toContain("submit");
    expect(t.page.main.dataset["result"]).toBe("unreachable");
    t.page.result.querySelector("button")?.click();
    expect(t.callbacks).toEqual(["reload"]);
  });

  it("a payment found in progress isn't followed, and the page reloads when the network is back", async () => {
    t = await createFlowTest(undefined, Promise.resolve(false));
    t.service.on(open, t.service.session({}, challenge));
    await t.flow.begin();
    expect(t.page.main.dataset["result"]).toBe("unknown");
    expect(t.service.paths()).toEqual([open]);
    await t.flow.online();
    expect(t.callbacks).toEqual(["reload"]);
  });

  it("a payment that has already succeeded is shown", async () => {
    t = await createFlowTest(undefined, Promise.resolve(false));
    t.service.on(open, t.service.session({ status: "complete" }, succeeded));
    await t.flow.begin();
    expect(t.page.main.dataset["result"]).toBe("succeeded");
  });

  it("a press waits until it has loaded", async () => {
    let loaded = (_isLoaded: boolean) => {};
    t = await createFlowTest(undefined, new Promise((resolve) => (loaded = resolve)));
    await t.flow.begin();
    t.service.on(pay, t.service.payment(succeeded));
    const paying = t.flow.pay(card);
    await new Promise((resolve) => setTimeout(resolve));
    expect(t.service.paths()).not.toContain(pay);
    expect(t.page.pay.getAttribute("aria-disabled")).toBe("true");
    loaded(true);
    expect(await paying).toMatchObject({ type: "complete" });
  });
});

it("sends no request when the network is back, because the form can be used", async () => {
  await t.flow.begin();
  await t.flow.online();
  expect(t.service.paths()).toEqual([open]);
});

describe("a service that limits requests per network", () => {
  const tooMany = refused("rate_limited", 429);

  it.each([
    ["a payment in processing", processing],
    ["the bank's challenge", challenge],
  ])("doesn't end %s", async (_what, underWay) => {
    await t.flow.begin();
    t.fields.fill(card.number, "1234", card.cvc);
    t.service.on(pay, t.service.payment(underWay));
    t.service.on(open, tooMany);
    t.service.on(poll, tooMany, tooMany, t.service.payment(succeeded));
    await expect(t.flow.pay(card)).resolves.toMatchObject({ type: "complete" });
    expect(t.names()).not.toContain("error");
    expect(t.callbacks).not.toContain("refused");
  });

  it("is polled after a lost response, and the outcome is shown as unknown if it keeps refusing", async () => {
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

  it("tells the host page that an attempt failed whose outcome was unknown", async () => {
    await t.flow.begin();
    t.service.on(pay, t.service.payment(processing));
    t.service.on(poll, refused("payment_invalid", 404));
    t.service.on(open, tooMany);
    await t.flow.pay(card);
    expect(t.page.main.dataset["result"]).toBe("unknown");
    t.service.on(open, t.service.session({}, declined()));
    t.page.result.querySelector("button")?.click();
    await vi.waitFor(() => expect(t.flow.isBusy()).toBe(false));
    expect(t.names()).toEqual(["submit", "error", "decline"]);
  });

  it("can be called again with a button if it refuses the first request", async () => {
    t.service.on(open, tooMany);
    await t.flow.begin();
    expect(t.events).toEqual([["error", { code: "network" }]]);
    expect([t.page.main.dataset["result"], t.callbacks]).toEqual(["unreachable", []]);
    t.service.on(open, t.service.session());
    t.page.result.querySelector("button")?.click();
    await vi.waitFor(() => expect(t.shown()).toBe("form"));
  });
});

describe("a payment found after a reload", () => {
  it.each([
    ["in progress", processing, ["submit", "complete", "complete"]],
    ["with the bank's page open", challenge, ["submit", "challengestart", "challengeend", "complete"]],
    ["before authentication", { id: "dec_1", status: "authenticating" } as const, ["submit", "complete"]],
  ])("%s counts as an attempt for the host page", async (_what, underWay, names) => {
    t.service.on(open, t.service.session({}, underWay));
    t.service.on(poll, t.service.payment(succeeded));
    await t.flow.begin();
    expect(t.names()).toEqual(names);
  });

  it("is reported only once even if the connection breaks, and the next attempt is reported after a decline", async () => {
    t.service.on(open, t.service.session({}, processing));
    t.service.on(poll, refused("payment_invalid", 404), t.service.payment(declined()), t.service.payment(succeeded));
    await t.flow.begin();
    expect(t.names().filter((name) => name === "submit")).toHaveLength(1);
    t.service.on(pay, t.service.payment(succeeded));
    await t.flow.pay(card);
    expect(t.names().slice(-3)).toEqual(["decline", "submit", "complete"]);
  });

  it("is reported only as complete if it has already succeeded", async () => {
    t.service.on(open, t.service.session({ status: "complete" }, succeeded));
    await t.flow.begin();
    expect(t.names()).toEqual(["complete"]);
  });
});

describe("a decline that ends the session", () => {
  const final = declined({ retryable: false });

  it.each<[string, () => CallResult]>([
    ["has succeeded", () => t.service.session({ status: "complete" }, succeeded)],
    ["is in progress", () => t.service.session({}, { id: "dec_1", status: "authenticating" })],
  ])(
    "isn't reported if another tab's payment %s, because a host page may show another session after it",
    async (_what, opened) => {
      await t.flow.begin();
      t.service.on(pay, t.service.payment(final));
      t.service.on(open, opened());
      t.service.on(poll, t.service.payment(succeeded));
      await expect(t.flow.pay(card)).resolves.toMatchObject({ type: "complete" });
      expect(t.names()).toEqual(["submit", "complete"]);
    },
  );

  it.each<[string, () => CallResult, string[]]>([
    ["the form can be used again", () => t.service.session({}, final), []],
    ["the session's end", () => t.service.session({ status: "canceled" }), ["error"]],
  ])("is reported only after the session was looked up, before %s", async (_what, opened, more) => {
    await t.flow.begin();
    t.service.on(pay, t.service.payment(final));
    let respond: (result: CallResult) => void = () => {};
    t.service.on(open, new Promise((resolve) => (respond = resolve)));
    const ended = t.flow.pay(card);
    await vi.waitFor(() => expect(t.page.payLabel.textContent).toBe(text.form.steps.reconnecting));
    expect(t.names()).toEqual(["submit"]);
    respond(opened());
    await expect(ended).resolves.toMatchObject({ type: "decline", retryable: false });
    expect(t.names()).toEqual(["submit", "decline", ...more]);
  });

  it.each<[string, () => CallResult, string]>([
    ["it was paid", () => t.service.session({ status: "complete" }, succeeded), "complete"],
    ["it wasn't paid", () => t.service.session({}, final), "decline"],
  ])("is reported, or the payment, once the service responds, however late: %s", async (_what, opened, end) => {
    await t.flow.begin();
    t.service.on(pay, t.service.payment(final));
    t.service.on(open, unreachable);
    await expect(t.flow.pay(card)).resolves.toEqual({ type: "failed" });
    expect(t.names()).toEqual(["submit", "error"]);
    t.service.on(open, opened());
    t.page.result.querySelector("button")?.click();
    await vi.waitFor(() => expect(t.flow.isBusy()).toBe(false));
    expect(t.names()).toEqual(["submit", "error", end]);
  });
});
