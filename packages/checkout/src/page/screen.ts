/**
 * What the customer sees until a try is over, in the words of the language that holds; how it was is said by
 * `outcome-screen.ts`. It decides nothing: the payment flow tells it what is so. A session of mode `setup` has words of
 * its own and no total; what is kept of the card, and by whom, stands below the button. The links it makes lead to the
 * two addresses that the service gave with the session, and only if they are http(s).
 */
import { formatAmount } from "@oriel/protocol/currency";
import type { FrameSession } from "@oriel/protocol/frame";
import type { Page } from "./page.ts";
import { isWebAddress, returnAddress } from "../host/return-address.ts";
import { fill } from "../texts/fill.ts";
import type { NoticeName, Occasion, ResultName, Step, Texts } from "../texts/texts.ts";

export interface Screen {
  /** The session is known: merchant, amount, whether the card is kept, links, test mode. */
  introduce(session: FrameSession["session"]): void;
  /** The form can be used. */
  form(): void;
  busy(step: Step): void;
  /** A sentence above the fields, which takes the keyboard. */
  say(sentence: Sentence, calm: boolean): void;
  /** A sentence above the fields; `null` takes it away. */
  notice(name: NoticeName | null): void;
  /** The end, or a wait. Offers the way back to the shop, or `press` where there is something to do here. */
  result(name: ResultName, press?: Press): void;
  /** The end, with what else is said and where it leads. */
  end(name: ResultName, link?: Link, hint?: Sentence): void;
  /**
   * From a page of its own to the address that the shop gave for it; a merchant's own page has the customer already.
   */
  wayBack(to: "return" | "cancel"): Link | undefined;
}

/** In the language that holds. */
export type Sentence = (texts: Texts) => string;

export interface Link {
  href: string;
  label: Sentence;
}

export interface Press {
  /** By the name of its text. */
  label: "retry" | "lookUpAgain";
  press: () => void;
}

/** Paths in a box of 24; anything else gets the page's own. */
const icons: Partial<Record<ResultName, string>> = {
  succeeded: "M7 12.5l3.5 3.5L17 9",
  requires_confirmation: "M7 12.5l3.5 3.5L17 9",
  processing: "M12 7v5.2l3.2 2",
};

export function createScreen(page: Page, fields: { lock(locked: boolean): void }, window: Window): Screen {
  const { words } = page;
  const isFullPage = window.parent === window;
  let session: FrameSession["session"] | null = null;
  /** The customer has the form to use, and may be reading what stands above it. */
  let isFormUp = false;
  const occasion = () => occasionOf(session);
  const payLabel = (texts: Texts): string => {
    if (!session) return texts.pay;
    const total = totalOf(session, texts);
    return total === null ? texts.save : fill(texts.payAmount, { amount: total });
  };

  const onPay = (label: Sentence) => {
    words.write("pay", (texts) => {
      page.payLabel.textContent = label(texts);
    });
  };
  const write = (sentence: Sentence | null, calm = true) => {
    words.write("notice", (texts) => {
      page.notice.textContent = sentence ? sentence(texts) : "";
    });
    page.notice.hidden = sentence === null;
    page.notice.toggleAttribute("data-calm", calm);
  };
  const idle = () => {
    page.show("form");
    fields.lock(false);
    page.pay.disabled = false;
    page.pay.removeAttribute("aria-disabled");
    onPay(payLabel);
  };
  const wayBack: Screen["wayBack"] = (to) => {
    if (!isFullPage || !session) return undefined;
    const { return_url, cancel_url, merchant_name, id } = session;
    const href =
      to === "return" && return_url
        ? returnAddress(return_url, id)
        : cancel_url && isWebAddress(cancel_url)
          ? cancel_url
          : null;
    if (!href) return undefined;
    return {
      href,
      label: (texts) => fill(to === "return" ? texts.continueTo : texts.backTo, { merchant: merchant_name }),
    };
  };
  const linkTo = (href: string) => {
    const link = page.document.createElement("a");
    link.className = "action";
    link.setAttribute("href", href);
    link.setAttribute("target", "_top");
    return link;
  };
  const showResult = (name: ResultName, action?: HTMLElement | null, label?: Sentence, hint?: Sentence) => {
    isFormUp = false;
    page.live.textContent = ""; // the result is read out by taking the focus
    page.back.hidden = true;
    const say = (texts: Texts) => {
      const [title, text] = resultSentences(texts, occasion(), name);
      return { title, text: hint ? `${text} ${hint(texts)}` : text, ...(label && { next: label(texts) }) };
    };
    page.showResult(name, say(words.texts), action, icons[name]);
    words.write("result", (texts) => page.sayResult(say(texts)));
  };

  const screen: Screen = {
    introduce(known) {
      session = known;
      const { merchant_name, description, livemode, cancel_url } = known;
      totalOf(known, words.texts); // nobody is asked to pay a sum that is not named
      delete page.main.dataset["loading"];
      page.merchant.textContent = merchant_name;
      page.description.textContent = description ?? "";
      page.amount.hidden = known.mode === "setup";
      page.badge.hidden = livemode;
      page.kept.hidden = known.mode !== "setup" && !known.save_payment_method;
      words.write("order", (texts) => {
        const merchant = { merchant: merchant_name };
        page.document.title = fill(
          `{merchant} · ${known.mode === "setup" ? texts.savingTitle : texts.title}`,
          merchant,
        );
        page.amount.textContent = totalOf(known, texts);
        page.back.textContent = fill(texts.backTo, merchant);
        const kept = known.mode === "setup" ? texts.keptOnly : texts.keptToo;
        page.kept.textContent = page.kept.hidden ? "" : fill(kept, merchant);
      });
      if (isFullPage && cancel_url && isWebAddress(cancel_url)) {
        page.back.href = cancel_url;
        page.back.hidden = false;
      }
    },
    form() {
      if (!isFormUp) write(null);
      isFormUp = true;
      idle();
    },
    busy(step) {
      isFormUp = false;
      page.show("form");
      if (step !== "reconnecting") write(null);
      fields.lock(true);
      page.pay.disabled = false;
      page.pay.setAttribute("aria-disabled", "true");
      onPay((texts) => texts.steps[step]);
      const said = words.texts.steps[step];
      // Written once, or it would be read out each time.
      if (page.live.textContent !== said) page.live.textContent = said;
    },
    say(sentence, calm) {
      write(sentence, calm);
      page.show("form");
      page.live.textContent = "";
      page.notice.focus();
    },
    notice(name) {
      if (name) screen.say((texts) => noticeSentence(texts, occasion(), name), true);
      else write(null);
    },
    result(name, press) {
      fields.lock(true);
      if (press) {
        page.pay.removeAttribute("aria-disabled"); // nothing is under way until the customer says so
        return showResult(name, page.pressOnce(press.press), (texts) => texts[press.label]);
      }
      screen.end(name, wayBack(name === "processing" ? "return" : "cancel"));
    },
    end: (name, link, hint) => showResult(name, link && linkTo(link.href), link?.label, hint),
    wayBack,
  };
  return screen;
}

export function occasionOf(session: Pick<FrameSession["session"], "mode"> | null): Occasion {
  return session?.mode === "setup" ? "saving" : "paying";
}

/** What there is to pay; null where a card is only saved. */
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
  if (name === "besideRefused") return outcomes[occasion];
  return name === "connectionLost" ? notices[name][occasion] : fill(notices[name], { outcome: outcomes[occasion] });
}

function resultSentences(texts: Texts, occasion: Occasion, name: ResultName): [title: string, text: string] {
  const { results, after } = texts;
  const outcome = { outcome: texts.outcomes[occasion] };
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
