import { getByRole, getByText, queryByRole } from "@testing-library/dom";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { customerReasons, type CustomerReason } from "@oriel/protocol/declines";
import type { FrameSession } from "@oriel/protocol/frame";
import { declinedAs } from "../../test/declined-as.ts";
import { sessionWith, setup } from "../../test/fake-service.ts";
import { loadPage, loadOnDemand } from "../../test/load-page.ts";
import { introduceOn } from "../../test/whole-screen.ts";
import type { WholeScreen } from "../../test/whole-screen.ts";
import { bindCardFields } from "../form/card-fields.ts";
import text from "../texts/en.ts";
import type { Page } from "./page.ts";
import { createScreen } from "./screen.ts";

const nowMs = Date.UTC(2027, 5, 15, 9, 30);
const session = sessionWith({ merchant_name: "Fernweh <b>", allowed_origins: [] });

let page: Page;
const show = (isFullPage: boolean, changes: Partial<FrameSession["session"]> = {}): WholeScreen => {
  page = loadPage();
  // In an iframe, the parent is another window; which one doesn't matter here.
  const view = isFullPage ? window : (Object.create(window, { parent: { value: {} } }) as typeof window);
  return introduceOn(page, { ...session, ...changes }, view, nowMs);
};

describe("the screen", () => {
  let screen: WholeScreen;
  beforeEach(() => {
    screen = show(true);
  });

  it("keeps Pay disabled until the form can be used", () => {
    expect(page.pay.disabled).toBe(true);
    screen.form();
    expect(getByRole(document.body, "button", { name: "Pay €49.00" })).toBe(page.pay);
    expect(page.pay.disabled).toBe(false);
  });

  it("marks Pay for half a second after its amount has changed, whatever is shown meanwhile", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const isMarked = () => page.pay.hasAttribute("data-changed");
    screen.form();
    screen.introduce({ ...session, description: "Tea" });
    screen.form();
    expect(isMarked()).toBe(false);
    screen.introduce({ ...session, amount: 5900 });
    screen.form();
    expect([page.payLabel.textContent, isMarked()]).toEqual(["Pay €59.00", true]);
    vi.advanceTimersByTime(300);
    screen.introduce({ ...session, amount: 5900 });
    screen.form();
    vi.advanceTimersByTime(199);
    expect(isMarked()).toBe(true);
    vi.advanceTimersByTime(1);
    expect(isMarked()).toBe(false);
  });

  it("shows merchant, description, amount and the test badge as text", () => {
    expect(page.merchant.textContent).toBe("Fernweh <b>");
    expect(page.merchant.children.length).toBe(0);
    expect(page.description.textContent).toBe("Coffee");
    expect(page.amount.textContent).toBe("€49.00");
    expect(page.badge.hidden).toBe(false);
    screen.introduce({ ...session, livemode: true });
    expect(page.badge.hidden).toBe(true);
  });

  it("keeps browsers that translate the page from changing the shop's name and the amount", () => {
    screen.introduce({ ...session, save_payment_method: true });
    screen.form();
    const untranslated = [...document.querySelectorAll("[translate=no]")].map((element) => element.textContent);
    expect(untranslated).toEqual(["Fernweh <b>", "Fernweh <b>", "€49.00", "€49.00", "Fernweh <b>"]);
    for (const element of [page.back, page.payLabel, page.saveNotice]) {
      expect(element.querySelector("[translate=no]")).not.toBeNull();
      expect(element.hasAttribute("translate")).toBe(false);
    }
  });

  it("links back to the shop only from a full page, and only to http(s) URLs", () => {
    expect(page.back.hidden).toBe(false);
    expect(page.back.href).toBe("https://shop.example/cart");
    show(false);
    expect(page.back.hidden).toBe(true);
    page = loadPage();
    const other = createScreen(page, bindCardFields(page, loadOnDemand), window);
    other.introduce({ ...session, cancel_url: "javascript:alert(1)" });
    expect(page.back.hidden).toBe(true);
  });

  describe("in an iframe", () => {
    /** Shows a result after the page has loaded. */
    const showIn = (className: string, hasFocus: boolean) => {
      document.documentElement.className = className;
      vi.spyOn(document, "hasFocus").mockReturnValue(hasFocus);
      const focused = vi.spyOn(HTMLElement.prototype, "focus");
      screen.result("expired");
      const { calls } = focused.mock;
      vi.restoreAllMocks();
      return calls;
    };
    const [title, sentence] = text.after.results.expired;

    it("moves the focus to a result if it is in the iframe, without scrolling the host page", () => {
      expect(showIn("linked", true)).toEqual([[{ preventScroll: true }]]);
      expect(document.activeElement).toBe(page.result);
      expect(page.live.textContent).toBe("");
    });

    it("announces a result if the focus is in the host page", () => {
      expect(showIn("linked", false)).toEqual([]);
      expect(page.live.textContent).toBe(`${title}. ${sentence.replace("{outcome}", text.form.outcomes.paying)}`);
    });

    it.each(["full", "linked grown"])("moves the focus to a result if nothing else can be used: %s", (className) => {
      expect(showIn(className, false)).toEqual([[{ preventScroll: false }]]);
      expect(document.activeElement).toBe(page.result);
    });
  });

  it("announces a notice instead of focusing it while the focus is in the host page", () => {
    screen.form();
    document.documentElement.className = "linked";
    const hasFocus = vi.spyOn(document, "hasFocus").mockReturnValue(false);
    screen.notice("wiped");
    expect(document.activeElement).not.toBe(page.notice);
    expect([page.live.textContent, page.notice.textContent]).toEqual([
      text.form.notices.wiped,
      text.form.notices.wiped,
    ]);
    hasFocus.mockReturnValue(true);
    screen.notice("rateLimited");
    expect(document.activeElement).toBe(page.notice);
    expect(page.live.textContent).toBe("");
    hasFocus.mockRestore();
  });

  it("keeps the focus on Pay and leaves the fields unchanged while busy", () => {
    screen.form();
    page.pay.focus();
    screen.busy("submitting");
    expect(document.activeElement).toBe(page.pay);
    expect(page.pay.getAttribute("aria-disabled")).toBe("true");
    expect(page.payLabel.textContent).toBe(text.form.steps.submitting);
    expect(page.number.readOnly).toBe(true);
  });

  it.each(["form", "busy"] as const)("returns the focus from a result to where it was in the form: %s", (next) => {
    screen.form();
    page.expiry.focus();
    screen.result("processing");
    screen.result("unknown", { label: "checkAgain", press: () => {} });
    page.result.querySelector("button")?.focus();
    if (next === "form") screen.form();
    else screen.busy("reconnecting");
    expect(document.activeElement).toBe(page.expiry);
  });

  it("doesn't move the focus when the form comes back if the result doesn't have it", () => {
    screen.result("unknown", { label: "checkAgain", press: () => {} });
    page.back.hidden = false;
    page.back.focus();
    screen.form();
    expect(document.activeElement).toBe(page.back);
  });

  it("doesn't say that nothing was charged if an identical payment may have succeeded just before", () => {
    screen.declined("duplicate", null);
    expect(page.notice.textContent).toMatch(/^An identical payment .* before you pay again\.$/);
    expect(page.notice.textContent).not.toMatch(/not been charged|another card/);
  });

  it("says that the card was declined if the reason is newer than this page", () => {
    screen.declined("of tomorrow" as CustomerReason, null);
    expect(page.notice.textContent).toBe(declinedAs("declined", "paying"));
  });

  it("shows why a card was declined, with the bank's own message as text, and focuses it", () => {
    screen.declined("insufficient_funds", "Call <i>us</i>.");
    expect(page.notice.textContent).toBe(`${declinedAs("insufficient_funds", "paying")} \u2068Call <i>us</i>.\u2069`);
    expect(page.notice.children.length).toBe(0);
    expect(document.activeElement).toBe(page.notice);
    expect(page.pay.disabled).toBe(false);
    expect(page.number.readOnly).toBe(false);
  });

  it("keeps the notice above a usable form when a refresh brings no change", () => {
    screen.declined("insufficient_funds", null);
    screen.form();
    expect(page.notice.hidden).toBe(false);
    expect(page.notice.textContent).toBe(declinedAs("insufficient_funds", "paying"));
    screen.busy("reconnecting");
    screen.notice("connectionLost");
    screen.form();
    expect(page.notice.hidden).toBe(true);
  });

  it("announces a step only once, however often it is shown", () => {
    screen.busy("authenticating");
    const said = page.live.firstChild;
    screen.busy("authenticating");
    expect(page.live.firstChild).toBe(said);
    screen.busy("confirming");
    expect(page.live.textContent).toBe(text.form.steps.confirming);
  });

  it("shows how many attempts are left once there are few", () => {
    const said = (attempts_left: number) => {
      show(false, { attempts_left }).declined("declined", null);
      return page.notice.textContent;
    };
    expect(said(3)).toBe(declinedAs("declined", "paying"));
    expect(said(2)).toBe(`${declinedAs("declined", "paying")} You can try 2 more times.`);
    expect(said(1)).toBe(`${declinedAs("declined", "paying")} You can try 1 more time.`);
  });

  it.each(["processing", "expired", "canceled", "ended", "unknown"] as const)(
    "shows the result %s instead of the form",
    (name) => {
      screen.result(name);
      expect(page.main.dataset["view"]).toBe("result");
      const { processing, unknown } = text.form.results;
      const titles = { processing: processing.paying, unknown: unknown.paying, ...text.after.results };
      expect(getByText(page.result, titles[name][0])).toBeTruthy();
      expect(document.activeElement).toBe(page.result);
    },
  );

  it("offers an action", () => {
    let pressed = 0;
    screen.result("unreachable", { label: "retry", press: () => pressed++ });
    getByRole(page.result, "button", { name: text.first.retry }).click();
    getByRole(page.result, "button", { name: text.first.retry }).click();
    expect(pressed).toBe(1);
  });

  it("links a finished full page to the shop with the session's ID, but not in an iframe", () => {
    screen.finished("succeeded");
    const link = getByRole<HTMLAnchorElement>(page.result, "link", { name: "Continue to Fernweh <b>" });
    expect(link.href).toBe("https://shop.example/done?session_id=cs_1");
    show(false).finished("succeeded");
    expect(queryByRole(page.result, "link")).toBeNull();
  });
});

describe("the receipt on a full page without a return URL", () => {
  // Import it now, so that compiling doesn't count toward a test's time limit.
  beforeAll(loadOnDemand);
  const receiptIsLate = () => new Promise((resolve) => setTimeout(resolve));
  const receipt = () => [...page.result.querySelectorAll(".receipt dt, .receipt dd")].map((part) => part.textContent);

  it("shows amount, date and reference of a payment made on this page, and links to the shop's home page", async () => {
    const screen = show(true, { return_url: null, allowed_origins: ["https://shop.example", "https://other.example"] });
    screen.finished("succeeded");
    expect(getByText(page.result, "Payment complete")).toBeTruthy();
    const link = getByRole<HTMLAnchorElement>(page.result, "link", { name: "Back to Fernweh <b>" });
    expect(link.href).toBe("https://shop.example/");
    await vi.waitFor(() => expect(receipt()).not.toEqual([]));
    const [amount, sum, date, when, reference, id] = receipt();
    expect([amount, sum, date, reference, id]).toEqual(["Amount", "€49.00", "Date", "Reference", "cs_1"]);
    expect(when).toContain("2027");
    expect(page.result.querySelectorAll(".receipt dd[translate=no]")).toHaveLength(3);
  });

  it("shows no date for a payment made before this document was opened", async () => {
    const screen = show(true, { return_url: null });
    screen.finished("succeeded", false);
    await vi.waitFor(() => expect(receipt()).toEqual(["Amount", "€49.00", "Reference", "cs_1"]));
    expect(queryByRole(page.result, "link")).toBeNull();
  });

  it("isn't shown before the shop has charged the card", async () => {
    const screen = show(true, { return_url: null });
    screen.finished("requires_confirmation");
    await receiptIsLate();
    expect(receipt()).toEqual([]);
    screen.finished("succeeded");
    await receiptIsLate();
    expect(receipt()).not.toEqual([]);
  });

  it("isn't shown in an iframe, on a page with a return URL, or if a card is only saved", async () => {
    for (const screen of [
      () => show(false, { return_url: null }),
      () => show(true),
      () => show(true, { ...setup, return_url: null }),
    ]) {
      screen().finished("succeeded");
      await receiptIsLate();
      expect(receipt()).toEqual([]);
    }
  });
});

describe("the screen of a payment that keeps the card", () => {
  it("says below the button who keeps the card, as text, and describes the button with that", () => {
    show(true, { save_payment_method: true }).form();
    expect(getByRole(document.body, "button", { name: "Pay €49.00" })).toBe(page.pay);
    expect(page.saveNotice.hidden).toBe(false);
    expect(page.saveNotice.textContent).toBe("Fernweh <b> will save this card for future payments.");
    expect(page.saveNotice.querySelector("b")).toBeNull();
    expect(page.pay.nextElementSibling).toBe(page.saveNotice);
    expect(page.pay.getAttribute("aria-describedby")).toBe(page.saveNotice.id);
  });

  it("doesn't say so if the card isn't kept", () => {
    const screen = show(true);
    expect(page.saveNotice.hidden).toBe(true);
    expect(page.saveNotice.textContent).toBe("");
    screen.introduce({ ...session, save_payment_method: true });
    screen.introduce(session);
    expect(page.saveNotice.hidden).toBe(true);
  });

  it("ends like any other payment", () => {
    show(true, { save_payment_method: true }).finished("succeeded");
    expect(getByText(page.result, "Payment complete")).toBeTruthy();
  });
});

describe("the screen for saving a card", () => {
  let screen: WholeScreen;
  beforeEach(() => {
    screen = show(true, setup);
  });

  it("shows no total and no placeholder for one", () => {
    expect(page.amount.hidden).toBe(true);
    expect(page.amount.textContent).toBe("");
    expect(page.merchant.textContent).toBe("Fernweh <b>");
    expect(document.title).toBe("Fernweh <b> · Save a card");
  });

  it("has a save button, also after it was busy", () => {
    screen.form();
    expect(getByRole(document.body, "button", { name: "Save card" })).toBe(page.pay);
    screen.busy("submitting");
    expect(page.payLabel.textContent).toBe(text.form.steps.submitting);
    screen.declined("expired_card", null);
    expect(page.payLabel.textContent).toBe("Save card");
  });

  it.each([false, true])(
    "says that nothing is charged and who keeps the card, whatever `save_payment_method` is (%s)",
    (isSaved) => {
      screen.introduce({ ...session, ...setup, save_payment_method: isSaved });
      expect(page.saveNotice.hidden).toBe(false);
      expect(page.saveNotice.textContent).toBe(
        "Nothing is charged now. Fernweh <b> will save this card for future payments.",
      );
    },
  );

  it("shows no total even if the service sends one", () => {
    screen.introduce({ ...session, mode: "setup" });
    screen.form();
    expect(page.amount.hidden).toBe(true);
    expect(page.main.textContent).not.toContain("49");
    expect(page.payLabel.textContent).toBe("Save card");
  });

  it("ends with the card saved and continues to the shop", () => {
    screen.finished("succeeded");
    expect(getByText(page.result, "Card saved")).toBeTruthy();
    expect(page.result.textContent).toContain("Nothing was charged. Taking you back to Fernweh <b>…");
    expect(getByRole<HTMLAnchorElement>(page.result, "link").href).toBe("https://shop.example/done?session_id=cs_1");
  });

  it("never mentions a payment or a charge when saving fails", () => {
    const names = [
      "connectionLost",
      "billingRefused",
      "notStarted",
      "rateLimited",
      "notAccepted",
      "testCardsOnly",
      "wiped",
    ] as const;
    const ends = ["processing", "unknown", "expired", "canceled", "ended"] as const;
    const cameToNothing = [
      // The service never reports a duplicate if the card is only saved.
      ...customerReasons
        .filter((reason) => reason !== "duplicate")
        .map((reason) => (screen.declined(reason, null), page.notice.textContent)),
      ...names.map((name) => (screen.notice(name), page.notice.textContent)),
      ...ends.map((name) => (screen.result(name), page.result.textContent)),
    ];
    expect(cameToNothing.filter((sentence) => sentence.length < 20)).toEqual([]);
    expect(cameToNothing.filter((sentence) => /\b(pay|payment|paying|charged)\b|[{}]/i.test(sentence))).toEqual([]);
  });
});

it("throws if the session has no amount to show", () => {
  expect(() => show(true, { amount: null })).toThrow("no amount");
  expect(page.pay.disabled).toBe(true);
});
