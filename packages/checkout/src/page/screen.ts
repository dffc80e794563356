/**
 * What the customer sees until an attempt is over, in the current language; `outcome-screen.ts` shows how it ended. The
 * screen decides nothing: the payment flow tells it what to show. A session of mode `setup` has its own texts and no
 * total. If the total is 0, the order is placed instead of paid, without a card unless that is saved. Below the button,
 * the screen says whether the card is saved and by whom. Links lead only to the two URLs that the service gave with the
 * session, and only if they are http(s).
 */
import { formatAmount } from "@oriel/protocol/currency";
import type { FrameSession } from "@oriel/protocol/frame";
import { isWebAddress, returnPageUrl } from "../host/return-url.ts";
import { fill, joinSentences, writeFilled } from "../texts/fill.ts";
import type { NoticeName, Occasion, ResultName, Step, Texts } from "../texts/texts.ts";
import type { Page } from "./page.ts";

export interface Screen {
  /** Shows the session: merchant, amount, whether the card is saved, links and test mode. */
  introduce(session: FrameSession["session"]): void;
  /** Makes the form usable. */
  form(): void;
  busy(step: Step): void;
  /** Shows a sentence above the fields, and moves the focus there. */
  say(sentence: Sentence, calm: boolean): void;
  /** Shows a notice above the fields; `null` removes it. */
  notice(name: NoticeName | null): void;
  /**
   * Shows a final result, or one that the customer waits on. It links back to the shop, or has a `press` button if
   * there is something to do here.
   */
  result(name: ResultName, press?: Press): void;
  /** Shows a final result, with an extra sentence and a link. */
  end(name: ResultName, link?: Link, hint?: Sentence): void;
  /**
   * The link from a full page to the shop's URL. Undefined in an iframe, where the customer is already on the
   * merchant's page.
   */
  wayBack(to: "return" | "cancel"): Link | undefined;
}

/** A sentence in the current language. */
export type Sentence = (texts: Texts) => string;

export interface Link {
  href: string;
  label: Sentence;
}

export interface Press {
  /** The key of the button's text. */
  label: "retry" | "checkAgain";
  press: () => void;
}

/** Paths in a 24 by 24 box. Other results use the page's default icon. */
const icons: Partial<Record<ResultName, string>> = {
  succeeded: "M7 12.5l3.5 3.5L17 9",
  requires_confirmation: "M7 12.5l3.5 3.5L17 9",
  processing: "M12 7v5.2l3.2 2",
};

export function createScreen(page: Page, fields: { lock(locked: boolean): void }, window: Window): Screen {
  const { words } = page;
  const isFullPage = window.parent === window;
  let session: FrameSession["session"] | null = null;
  /** The amount on Pay. */
  let shownAmount: number | null = null;
  let settling: ReturnType<typeof setTimeout> | undefined;
  /** The customer can use the form, and may be reading the notice above it. */
  let isFormUp = false;
  /** The part of the form that had the focus before a result took it. */
  let hadFocus: HTMLElement = page.number;
  const write = (sentence: Sentence | null, calm = true) => {
    words.write("notice", (texts) => {
      page.notice.textContent = sentence ? sentence(texts) : "";
    });
    page.notice.hidden = sentence === null;
    page.notice.toggleAttribute("data-calm", calm);
  };
  const nextFocus = () => (!page.needsCard ? page.pay : hadFocus.isConnected ? hadFocus : page.number);
  const showForm = () => {
    const isFocusInResult = page.result.contains(page.document.activeElement);
    page.show("form");
    page.pay.disabled = false; // or it couldn't have the focus
    if (isFocusInResult) page.moveFocus(nextFocus(), "");
  };
  const idle = () => {
    showForm();
    fields.lock(false);
    page.pay.removeAttribute("aria-disabled");
    // A press that was meant for the earlier amount must not land on the new one.
    if (shownAmount !== null && shownAmount !== page.total) {
      page.pay.toggleAttribute("data-changed", true);
      clearTimeout(settling);
      settling = setTimeout(() => page.pay.removeAttribute("data-changed"), 500);
    }
    shownAmount = page.total;
    words.write("pay", (texts) => {
      writeFilled(page.payLabel, payLabel(session, texts), { amount: (session && totalOf(session, texts)) ?? "" });
    });
  };
  const showResult = (name: ResultName, action?: HTMLElement | null, label?: Sentence, hint?: Sentence) => {
    isFormUp = false;
    const { activeElement } = page.document;
    if (activeElement instanceof HTMLElement && page.form.contains(activeElement)) hadFocus = activeElement;
    page.live.textContent = ""; // moving the focus to the result makes screen readers read it out
    page.back.hidden = true;
    const say = (texts: Texts) => {
      const [title, text] = resultSentences(texts, session, name);
      return {
        title,
        text: joinSentences(texts, text, hint ? hint(texts) : null),
        ...(label && { next: label(texts) }),
      };
    };
    const said = say(words.texts);
    page.showResult(name, said, action, icons[name]);
    page.moveFocus(page.result, `${said.title}. ${said.text}`);
    words.write("result", (texts) => page.sayResult(say(texts)));
  };

  const screen: Screen = {
    introduce(known) {
      session = known;
      showSession(page, known, isFullPage);
    },
    form() {
      if (!isFormUp) write(null);
      isFormUp = true;
      idle();
    },
    busy(step) {
      isFormUp = false;
      showForm();
      if (step !== "reconnecting") write(null);
      fields.lock(true);
      page.pay.setAttribute("aria-disabled", "true");
      words.write("pay", (texts) => {
        page.payLabel.textContent = texts.steps[step];
      });
      const said = words.texts.steps[step];
      // Written only when it changes, or it would be read out each time.
      if (page.live.textContent !== said) page.live.textContent = said;
    },
    say(sentence, calm) {
      write(sentence, calm);
      page.show("form");
      page.live.textContent = "";
      page.moveFocus(page.notice, page.notice.textContent);
    },
    notice(name) {
      if (name) screen.say((texts) => noticeSentence(texts, occasionOf(session), name), true);
      else write(null);
    },
    result(name, press) {
      fields.lock(true);
      if (press) {
        page.pay.removeAttribute("aria-disabled"); // nothing is in progress until the customer presses the button
        return showResult(name, page.pressOnce(press.press), (texts) => texts[press.label]);
      }
      screen.end(name, screen.wayBack(name === "processing" ? "return" : "cancel"));
    },
    end: (name, link, hint) => showResult(name, link && createLink(page, link.href), link?.label, hint),
    wayBack: (to) => (isFullPage && session ? linkBack(session, to) : undefined),
  };
  return screen;
}

/** Writes what belongs to the session, in the current language and after each change of it. */
function showSession(page: Page, session: FrameSession["session"], isFullPage: boolean): void {
  const { words } = page;
  const { mode, amount, merchant_name, description, livemode, cancel_url } = session;
  totalOf(session, words.texts); // throws if there is no amount to show
  delete page.main.dataset["loading"];
  page.total = amount;
  page.needsCard = amount !== 0 || session.save_payment_method;
  page.document.documentElement.toggleAttribute("data-no-card", !page.needsCard);
  const { activeElement } = page.document;
  const hidesFocus = !page.needsCard && page.form.contains(activeElement) && activeElement !== page.pay;
  // See `writeFilled`.
  for (const element of [page.merchant, page.amount]) element.setAttribute("translate", "no");
  page.merchant.textContent = merchant_name;
  page.description.textContent = description ?? "";
  page.amount.hidden = mode === "setup";
  page.badge.hidden = livemode;
  page.saveNotice.hidden = mode !== "setup" && !session.save_payment_method;
  words.write("order", (texts) => {
    const merchant = { merchant: merchant_name };
    page.document.title = fill(`{merchant} · ${mode === "setup" ? texts.savingTitle : texts.title}`, merchant);
    page.amount.textContent = totalOf(session, texts);
    writeFilled(page.back, texts.backTo, merchant);
    const sentence = amount ? texts.alsoSaved : texts.onlySaved;
    writeFilled(page.saveNotice, page.saveNotice.hidden ? "" : sentence, merchant);
  });
  // A field that disappears can't keep it, and Pay can't have it while it's disabled.
  if (hidesFocus) {
    page.amount.tabIndex = -1;
    page.moveFocus(page.pay.disabled ? page.amount : page.pay, page.amount.textContent);
  }
  if (isFullPage && cancel_url && isWebAddress(cancel_url)) {
    page.back.href = cancel_url;
    page.back.hidden = false;
  }
}

/** The link to the shop's URL; undefined if the session has none. */
function linkBack(session: FrameSession["session"], to: "return" | "cancel"): Link | undefined {
  const { return_url, cancel_url, merchant_name, id } = session;
  const href =
    to === "return" && return_url
      ? returnPageUrl(return_url, id)
      : cancel_url && isWebAddress(cancel_url)
        ? cancel_url
        : null;
  if (!href) return undefined;
  return {
    href,
    label: (texts) => fill(to === "return" ? texts.continueTo : texts.backTo, { merchant: merchant_name }),
  };
}

function createLink({ document }: Page, href: string): HTMLElement {
  const link = document.createElement("a");
  link.className = "action";
  link.setAttribute("href", href);
  link.setAttribute("target", "_top");
  return link;
}

export function occasionOf(session: Pick<FrameSession["session"], "mode"> | null): Occasion {
  return session?.mode === "setup" ? "saving" : "paying";
}

function payLabel(session: FrameSession["session"] | null, texts: Texts): string {
  if (!session) return texts.pay;
  if (session.mode === "setup") return texts.save;
  return session.amount === 0 ? texts.placeOrder : texts.payAmount;
}

/** The total as text; null if a card is only saved. */
function totalOf({ mode, amount, currency }: FrameSession["session"], texts: Texts): string | null {
  if (mode === "setup") return null;
  if (amount === null || currency === null) throw new Error("Bug: no amount");
  return formatAmount(amount, currency, texts.locale);
}

export function noticeSentence(
  { notices, outcomes, unreachable }: Texts,
  occasion: Occasion,
  name: NoticeName,
): string {
  if (name === "offline") return unreachable[1];
  if (name === "billingRefused") return outcomes[occasion];
  return name === "connectionLost" ? notices[name][occasion] : fill(notices[name], { outcome: outcomes[occasion] });
}

function resultSentences(
  texts: Texts,
  session: FrameSession["session"] | null,
  name: ResultName,
): [title: string, text: string] {
  const { results, after } = texts;
  const occasion = occasionOf(session);
  const outcome = { outcome: texts.outcomes[occasion] };
  if (name === "succeeded" && session?.amount === 0) return [...results.placed];
  switch (name) {
    case "invalid":
    case "unreachable":
    case "unsupported":
    case "sandboxed":
      return [...texts[name]];
    case "succeeded":
    case "processing":
    case "unknown":
      return [...results[name][occasion]];
    case "requires_confirmation":
      return [...results[name]];
    case "expired":
    case "canceled":
    case "ended": {
      const [title, text] = after.results[name];
      return [title, fill(text, outcome)];
    }
  }
}
