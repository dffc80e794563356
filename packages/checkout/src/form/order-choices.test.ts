import { getByRole, queryByRole } from "@testing-library/dom";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FrameSession } from "@oriel/protocol/frame";
import { sessionWith } from "../../test/fake-service.ts";
import { loadPage, loadText } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import type { FrameApi, Outcome } from "../service/frame-api.ts";
import type { ChoicesWorld } from "./choices/choice.ts";
import { createOrderChoices } from "./order-choices.ts";

type Session = FrameSession["session"];

const options = [
  { id: "standard", name: "Standard <b>", amount: 490 },
  { id: "express", name: "Express", amount: 990 },
  { id: "pickup", name: "Pickup", amount: 0 },
];
const answer = (body: unknown = {}): Outcome<unknown> => ({ kind: "answer", body });
const refused = (code: string): Outcome<unknown> => ({ kind: "refused", code });

let page: Page;
let session: Session;
let show: (session: Session) => void;
let nowMs: number;
/** Whether Pay is held, each time that this changes. */
let holds: boolean[];
let isDisabled: boolean;
const request = vi.fn<FrameApi["requestOfSession"]>();
const emit = vi.fn<ChoicesWorld["emit"]>();
const flow = {
  isBusy: vi.fn<() => boolean>(),
  shownVersion: () => session.version,
  refresh: vi.fn<() => Promise<void>>(),
};

beforeEach(async () => {
  start();
  await open({ shipping_options: options, shipping_option: "standard" });
});
function start(load = loadText) {
  page = loadPage(load);
  nowMs = 0;
  holds = [];
  isDisabled = false;
  request.mockReset().mockResolvedValue(answer());
  emit.mockReset();
  flow.isBusy.mockReset().mockReturnValue(false);
  flow.refresh.mockReset().mockImplementation(async () => show(session));
  show = createOrderChoices({
    page,
    request,
    flow,
    hold: (isHeld) => {
      if (isHeld !== holds.at(-1)) holds.push(isHeld);
    },
    isDisabled: () => isDisabled,
    emit,
    now: () => nowMs,
    wait: async (ms) => void (nowMs += ms),
  });
}
async function open(changes: Partial<Session>) {
  session = sessionWith(changes);
  show(session);
  await settled();
}
async function settled() {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve));
}

const select = () => getByRole<HTMLSelectElement>(document.body, "combobox", { name: "Shipping" });
const field = () => getByRole<HTMLInputElement>(document.body, "textbox", { name: "Promotion code" });
const said = (about: "shipping" | "promotion-code") => document.getElementById(`${about}-said`)?.textContent;
const choose = async (id: string) => {
  select().value = id;
  select().dispatchEvent(new Event("change"));
  await settled();
};
const enter = async (code: string) => {
  field().value = code;
  getByRole(document.body, "button", { name: "Apply" }).click();
  await settled();
};
/** The service takes each choice. */
const takeChoices = () =>
  request.mockImplementation(async (_verb, body) => {
    session = { ...session, ...body, version: session.version + 1 };
    return answer();
  });

describe("shipping options", () => {
  it("are offered with their prices, as text, with the chosen one selected", () => {
    expect([...select().options].map(({ text }) => text)).toEqual([
      "Standard <b> · €4.90",
      "Express · €9.90",
      "Pickup · €0.00",
    ]);
    expect(select().value).toBe("standard");
    expect(queryByRole(document.body, "textbox", { name: "Promotion code" })).toBe(null);
  });

  it("are chosen by the service, for the version that the page shows, and Pay is held until the page shows the result", async () => {
    takeChoices();
    await choose("express");
    expect(request.mock.calls.map(([verb, body]) => [verb, body])).toEqual([
      ["shipping_option", { shipping_option: "express", version: 1 }],
    ]);
    expect(flow.refresh).toHaveBeenCalledOnce();
    expect([holds, select().value, said("shipping")]).toEqual([[true, false], "express", ""]);
  });

  it("are chosen one after the other if the customer is faster than the service, and only the last one counts", async () => {
    takeChoices();
    for (const id of ["express", "pickup", "express", "pickup"]) void choose(id);
    await settled();
    expect(request.mock.calls.map(([, body]) => body)).toEqual([
      { shipping_option: "express", version: 1 },
      { shipping_option: "pickup", version: 2 },
    ]);
    expect([select().value, holds]).toEqual(["pickup", [true, false]]);
  });

  it.each([refused("session_changed"), { kind: "unreachable" } as const])(
    "fall back to the session's if the service says %j",
    async (reply) => {
      request.mockResolvedValue(reply);
      await choose("express");
      expect([select().value, said("shipping"), holds]).toEqual([
        "standard",
        "We couldn’t change the shipping. Try again.",
        [true, false],
      ]);
    },
  );

  it("are shown as the service has them if only the response was lost", async () => {
    request.mockImplementation(async () => {
      session = { ...session, shipping_option: "express", version: 2 };
      return { kind: "unreachable" };
    });
    await choose("express");
    expect([select().value, said("shipping")]).toEqual(["express", ""]);
  });

  it("aren't said to be unchanged once it's known that they have changed", async () => {
    request.mockResolvedValue({ kind: "unreachable" });
    flow.refresh.mockResolvedValue();
    await choose("express");
    expect(said("shipping")).not.toBe("");
    await open({ shipping_options: options, shipping_option: "express", version: 2 });
    expect([select().value, said("shipping"), select().getAttribute("aria-invalid")]).toEqual(["express", "", "false"]);
  });

  it.each([
    ["during a payment", () => flow.isBusy.mockReturnValue(true)],
    ["while the host page has disabled the form", () => (isDisabled = true)],
  ])("can't be chosen %s", async (_when, happen) => {
    happen();
    await choose("express");
    expect(request).not.toHaveBeenCalled();
    expect(select().value).toBe("standard");
  });

  it.each([
    ["there is only one", { shipping_options: options.slice(0, 1) }],
    ["the session is over", { shipping_options: options, status: "complete" } as const],
  ])("aren't offered if %s", async (_when, changes) => {
    await open(changes);
    expect(queryByRole(document.body, "combobox")).toBe(null);
  });

  it("keep the focus when the session is read again", async () => {
    select().focus();
    await open({ shipping_options: options, shipping_option: "express", version: 2 });
    expect([document.activeElement, select().value]).toEqual([select(), "express"]);
  });

  it("can be chosen while the shop is asked about a code, which then still gets its reply", async () => {
    await open({ shipping_options: options, shipping_option: "standard", collect: { promotion_code: true } });
    let decide: (outcome: Outcome<unknown>) => void = () => {};
    request.mockImplementation((verb, body) => {
      if (verb === "promotion_code") return Promise.resolve(answer({ entry: 1 }));
      if (verb === "update_request") return new Promise((resolve) => (decide = resolve));
      session = { ...session, ...body, version: 2 };
      return Promise.resolve(answer());
    });
    await enter("SPRING");
    await choose("express");
    expect([select().value, holds]).toEqual(["express", [true]]);
    decide(answer({ entry: 1, status: "rejected", reason: "expired" }));
    await settled();
    expect([said("promotion-code"), holds]).toEqual(["This code has expired.", [true, false]]);
  });
});

describe("a promotion code", () => {
  beforeEach(() => open({ collect: { promotion_code: true } }));
  /** The shop decides three seconds after the code was entered. */
  const decided = (status: string, reason: string | null = null) =>
    request.mockImplementation(async (verb) => {
      if (verb === "promotion_code") return answer({ entry: 1 });
      return answer(nowMs >= 3_000 ? { entry: 1, status, reason } : { entry: 1, status: "pending", reason: null });
    });

  it("is sent to the service; the host page learns only that there is one", async () => {
    decided("accepted");
    await enter(" SPRING ");
    expect(request.mock.calls[0]?.slice(0, 2)).toEqual(["promotion_code", { promotion_code: "SPRING", version: 1 }]);
    expect(emit.mock.calls).toEqual([["updaterequest", { kind: "promotion_code" }]]);
    expect([said("promotion-code"), field().value, holds]).toEqual(["Code applied.", "", [true, false]]);
    expect(flow.refresh).toHaveBeenCalledOnce();
  });

  it.each([
    ["invalid", "This code isn’t valid."],
    ["expired", "This code has expired."],
    ["not_applicable", "This code can’t be used for this order."],
  ])("that the shop rejects as %s stays in the field with the reason", async (reason, sentence) => {
    decided("rejected", reason);
    await enter("SPRING");
    expect([said("promotion-code"), field().value, field().getAttribute("aria-invalid")]).toEqual([
      sentence,
      "SPRING",
      "true",
    ]);
  });

  it("holds Pay for ten seconds at most, however slow the network is, and can be entered again", async () => {
    request.mockImplementation(async (verb, _body, timeoutMs) => {
      if (verb === "promotion_code") return answer({ entry: 1 });
      nowMs += timeoutMs;
      return { kind: "unreachable" };
    });
    await enter("SPRING");
    expect(nowMs).toBeLessThanOrEqual(11_000);
    expect([said("promotion-code"), holds]).toEqual(["We couldn’t check this code. Try again.", [true, false]]);
    decided("accepted");
    await enter("SPRING");
    expect(said("promotion-code")).toBe("Code applied.");
  });

  it("is sent again for the new order if that has changed", async () => {
    const sent: unknown[] = [];
    request.mockImplementation(async (verb, body) => {
      if (verb === "update_request") return answer({ entry: 1, status: "accepted", reason: null });
      sent.push(body);
      return sent.length === 1 ? refused("session_changed") : answer({ entry: 1 });
    });
    flow.refresh.mockImplementation(async () => {
      session = { ...session, version: 2 };
      show(session);
    });
    await enter("SPRING");
    expect(sent).toEqual([
      { promotion_code: "SPRING", version: 1 },
      { promotion_code: "SPRING", version: 2 },
    ]);
    expect(said("promotion-code")).toBe("Code applied.");
  });

  it("doesn't hold Pay longer if the new total can't be read", async () => {
    request.mockImplementation(async (verb) => {
      if (verb === "promotion_code") return answer({ entry: 1 });
      return answer({ entry: 1, status: nowMs < 9_000 ? "pending" : "accepted", reason: null });
    });
    flow.refresh.mockReturnValue(new Promise(() => {}));
    await enter("SPRING");
    expect(nowMs).toBeLessThanOrEqual(10_000);
    expect([said("promotion-code"), holds]).toEqual(["Code applied.", [true, false]]);
  });

  it("isn't touched by a late reply to another one", async () => {
    request.mockImplementation(async (verb) =>
      answer({ entry: 1, ...(verb === "update_request" && { status: "pending" }) }),
    );
    await enter("SPRING");
    field().value = "SUMM";
    decided("accepted");
    await open({ ...session, version: 2 });
    expect([said("promotion-code"), field().value]).toEqual(["We couldn’t check this code. Try again.", "SUMM"]);
  });

  it("gets a late reply when the session is opened again", async () => {
    request.mockImplementation(async (verb) =>
      answer({ entry: 1, ...(verb === "update_request" && { status: "pending" }) }),
    );
    await enter("SPRING");
    expect(said("promotion-code")).toBe("We couldn’t check this code. Try again.");
    decided("accepted");
    await open({ ...session, amount: 4400, version: 2 });
    expect([said("promotion-code"), field().value]).toEqual(["Code applied.", ""]);
    request.mockClear();
    await open(session);
    expect(request).not.toHaveBeenCalled();
  });

  it("doesn't get the reply to another tab's code", async () => {
    request.mockImplementation(async (verb) =>
      answer(verb === "promotion_code" ? { entry: 1 } : { entry: 2, status: "accepted", reason: null }),
    );
    await enter("SPRING");
    expect(said("promotion-code")).toBe("We couldn’t check this code. Try again.");
  });

  it.each([
    [refused("promotion_codes_used_up"), "You’ve entered too many codes. You can continue without another one."],
    [refused("parameter_invalid"), "This code isn’t valid."],
    [refused("session_payment_in_progress"), "We couldn’t check this code. Try again."],
    [{ kind: "unreachable" } as const, "We couldn’t check this code. Try again."],
  ])("isn't asked about after %j", async (reply, sentence) => {
    request.mockResolvedValue(reply);
    await enter("SPRING");
    expect([said("promotion-code"), emit.mock.calls, nowMs]).toEqual([sentence, [], 0]);
  });

  it("must not be empty", async () => {
    await enter("  ");
    expect([said("promotion-code"), document.activeElement]).toEqual(["Enter a code.", field()]);
    expect(request).not.toHaveBeenCalled();
  });

  it("is offered in the page's new language", async () => {
    await page.words.speak("de");
    await settled();
    expect(getByRole(document.body, "textbox", { name: "Gutscheincode" })).toBeTruthy();
  });

  it("tells the host page about Escape, as the form does", () => {
    field().dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    expect(emit.mock.calls).toEqual([["escape", {}]]);
  });
});

it("nothing is offered until the texts have loaded, which is tried again when the session is opened", async () => {
  let isReachable = false;
  start(async (path, options) => (isReachable ? loadText(path, options) : null));
  document.documentElement.dataset["choices"] = "1";
  await open({ collect: { promotion_code: true } });
  expect(document.querySelector(".choices")).toBe(null);
  isReachable = true;
  await open({ collect: { promotion_code: true } });
  expect(field()).toBeTruthy();
  expect(document.documentElement.dataset["choices"]).toBeUndefined();
});
