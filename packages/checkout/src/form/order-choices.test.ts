import { getByRole, queryByRole } from "@testing-library/dom";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FrameSession } from "@oriel/protocol/frame";
import { sessionWith } from "../../test/fake-service.ts";
import { loadPage } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import type { FrameApi, Outcome } from "../service/frame-api.ts";
import { createOrderChoices } from "./order-choices.ts";
import type { ChoicesWorld } from "./order-choices.ts";

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
/** How long the customer has waited, in seconds. */
let waited: number;
const ask = vi.fn<FrameApi["ask"]>();
const emit = vi.fn<ChoicesWorld["emit"]>();
const flow = {
  isBusy: vi.fn<() => boolean>(),
  shownVersion: () => session.version,
  refresh: vi.fn<() => Promise<void>>(),
};

beforeEach(async () => {
  page = loadPage();
  page.pay.disabled = false;
  waited = 0;
  ask.mockReset().mockResolvedValue(answer());
  emit.mockReset();
  flow.isBusy.mockReset().mockReturnValue(false);
  flow.refresh.mockReset().mockImplementation(async () => show(session));
  const wait = async () => void waited++;
  show = createOrderChoices({ page, ask, flow, isDisabled: () => false, emit, wait });
  await open({ shipping_options: options, shipping_option: "standard" });
});
async function open(changes: Partial<Session>) {
  session = sessionWith(changes);
  show(session);
  await settled();
}
async function settled() {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve));
}

const select = () => getByRole<HTMLSelectElement>(document.body, "combobox", { name: "Shipping" });
const field = () => getByRole<HTMLInputElement>(document.body, "textbox", { name: "Promotion code" });
const said = () => document.getElementById("choices-said")?.textContent;
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

  it("are chosen by the service, for the version that the page shows, with Pay disabled until the page shows the result", async () => {
    const seen: boolean[] = [];
    ask.mockImplementation(async () => {
      seen.push(page.pay.disabled);
      session = { ...session, shipping_option: "express", version: 2 };
      return answer();
    });
    await choose("express");
    expect(ask.mock.calls).toEqual([["shipping_option", { shipping_option: "express", version: 1 }]]);
    expect(flow.refresh).toHaveBeenCalledOnce();
    expect([seen, page.pay.disabled, select().value, said()]).toEqual([[true], false, "express", ""]);
  });

  it("are chosen one after the other if the customer is faster than the service, and only the last one counts", async () => {
    ask.mockImplementation(async (_verb, body) => {
      session = { ...session, ...body, version: session.version + 1 };
      return answer();
    });
    for (const id of ["express", "pickup", "express", "pickup"]) void choose(id);
    await settled();
    expect(ask.mock.calls.map(([, body]) => body)).toEqual([
      { shipping_option: "express", version: 1 },
      { shipping_option: "pickup", version: 2 },
    ]);
    expect(select().value).toBe("pickup");
  });

  it.each([refused("session_changed"), { kind: "unreachable" } as const])(
    "fall back to the session's if the service says %j",
    async (reply) => {
      ask.mockResolvedValue(reply);
      await choose("express");
      expect([select().value, page.pay.disabled]).toEqual(["standard", false]);
      expect(said()).toBe("We couldn’t change the shipping. Try again.");
    },
  );

  it("can't be chosen during a payment", async () => {
    flow.isBusy.mockReturnValue(true);
    await choose("express");
    expect(ask).not.toHaveBeenCalled();
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
});

describe("a promotion code", () => {
  beforeEach(() => open({ collect: { promotion_code: true } }));
  const decided = (status: string, reason: string | null = null) =>
    ask.mockImplementation(async (verb) =>
      answer(verb === "update_request" && waited >= 3 ? { status, reason } : { status: "pending" }),
    );

  it("is sent to the service; the host page learns only that there is one", async () => {
    decided("accepted");
    await enter(" SPRING ");
    expect(ask.mock.calls[0]).toEqual(["promotion_code", { promotion_code: "SPRING", version: 1 }]);
    expect(emit.mock.calls).toEqual([["updaterequest", { kind: "promotion_code" }]]);
    expect([waited, said(), field().value, page.pay.disabled]).toEqual([3, "Code applied.", "", false]);
    expect(flow.refresh).toHaveBeenCalledOnce();
  });

  it.each([
    ["invalid", "This code isn’t valid."],
    ["expired", "This code has expired."],
    ["not_applicable", "This code can’t be used for this order."],
  ])("that the shop refuses as %s stays in the field with the reason", async (reason, sentence) => {
    decided("rejected", reason);
    await enter("SPRING");
    expect([said(), field().value, field().getAttribute("aria-invalid")]).toEqual([sentence, "SPRING", "true"]);
  });

  it("keeps Pay disabled for ten seconds at most, and can be entered again", async () => {
    const seen: boolean[] = [];
    ask.mockImplementation(async () => {
      seen.push(page.pay.disabled);
      return answer({ status: "pending", reason: null });
    });
    await enter("SPRING");
    expect([waited, new Set(seen), page.pay.disabled]).toEqual([10, new Set([true]), false]);
    expect(said()).toBe("We couldn’t check this code. Try again.");
    decided("accepted");
    await enter("SPRING");
    expect(said()).toBe("Code applied.");
  });

  it.each([
    [refused("promotion_codes_used_up"), "You’ve entered too many codes."],
    [refused("parameter_invalid"), "This code isn’t valid."],
    [refused("session_payment_in_progress"), "We couldn’t check this code. Try again."],
    [{ kind: "unreachable" } as const, "We couldn’t check this code. Try again."],
  ])("isn't asked about after %j", async (reply, sentence) => {
    ask.mockResolvedValue(reply);
    await enter("SPRING");
    expect([said(), emit.mock.calls, waited]).toEqual([sentence, [], 0]);
  });

  it("must not be empty", async () => {
    await enter("  ");
    expect([said(), document.activeElement]).toEqual(["Enter a code.", field()]);
    expect(ask).not.toHaveBeenCalled();
  });

  it("is offered in the page's new language", async () => {
    await page.words.speak("de");
    await settled();
    expect(getByRole(document.body, "textbox", { name: "Gutscheincode" })).toBeTruthy();
  });
});
