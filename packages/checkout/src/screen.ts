/**
 * What the customer sees at each moment of a payment, in the words of the language that holds. It decides nothing: the payment flow tells it
 * what is so. A session of mode `setup` has words of its own and no total; what is kept of the card, and by whom, stands below the button.
 * The links it makes lead to the two addresses that the service gave with the session, and only if they are http(s).
 */
import { formatAmount } from "@oriel/protocol/currency";
import type { CustomerReason } from "@oriel/protocol/declines";
import type { FrameSession } from "@oriel/protocol/frame";
import type { CardFields } from "./card-fields.ts";
import type { Page } from "./page.ts";
import { isWebAddress, returnAddress } from "./return-address.ts";
import type { NoticeName, Occasion, ResultName, Said, Step, Texts } from "./texts/texts.ts";

export interface Screen {
  /** The session is known: merchant, amount, whether the card is kept, links, test mode. */
  introduce(session: FrameSession["session"]): void;
  /** The form can be used. */
  form(): void;
  busy(step: Step): void;
  declined(reason: CustomerReason, cardholderInfo: string | null): void;
  /** A sentence above the fields; `null` takes it away. */
  notice(name: NoticeName | null): void;
  /** The end, or a wait. Offers the way back to the shop, or `press` where there is something to do here. */
  result(name: ResultName, press?: Press): void;
  /** Done: a full page goes on to the shop by itself. */
  finished(name: "succeeded" | "requires_confirmation"): void;
}

export interface Press {
  /** By the name of its text. */
  label: "retry" | "lookUpAgain";
  press: () => void;
}

/** Long enough to see that it worked, short enough not to wait for it. */
const leaveAfterMs = 1500;

export function createScreen(page: Page, fields: CardFields, window: Window): Screen {
  const { words } = page;
  const isFullPage = window.parent === window;
  let session: FrameSession["session"] | null = null;
  const occasion = (texts: Texts): Occasion => (session?.mode === "setup" ? texts.saving : texts.paying);
  const payLabel = (texts: Texts): string => {
    if (!session) return texts.pay;
    const total = totalOf(session, texts);
    return total === null ? texts.save : texts.payAmount(total);
  };

  const onPay = (label: (texts: Texts) => string) => {
    words.write("pay", (texts) => {
      page.payLabel.textContent = label(texts);
    });
  };
  const write = (sentence: ((texts: Texts) => string) | null, calm = true) => {
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
  /** A merchant's own page has the customer already; only a page of its own leads back. */
  const wayBack = (toReturn: boolean): { href: string; label: (texts: Texts) => string } | undefined => {
    if (!isFullPage || !session) return undefined;
    const { return_url, cancel_url, merchant_name, id } = session;
    const href =
      toReturn && return_url ? returnAddress(return_url, id) : cancel_url && isWebAddress(cancel_url) ? cancel_url : null;
    if (!href) return undefined;
    return { href, label: (texts) => (toReturn ? texts.continueTo(merchant_name) : texts.backTo(merchant_name)) };
  };
  const showResult = (
    name: ResultName,
    next?: string | (() => void),
    label?: (texts: Texts) => string,
    hint?: (texts: Texts) => string,
  ) => {
    page.live.textContent = ""; // the result is read out by taking the focus
    page.back.hidden = true;
    const say = (texts: Texts) => {
      const results: Record<ResultName, Said> = { ...texts.early, ...occasion(texts).results };
      const [title, text] = results[name];
      return { title, text: hint ? `${text} ${hint(texts)}` : text, ...(label && { next: label(texts) }) };
    };
    page.showResult(name, say(words.texts), next);
    words.write("result", (texts) => page.sayResult(say(texts)));
  };

  return {
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
        page.document.title = `${merchant_name} · ${occasion(texts).title}`;
        page.amount.textContent = totalOf(known, texts);
        page.back.textContent = texts.backTo(merchant_name);
        const kept = known.mode === "setup" ? texts.keptOnly : texts.keptToo;
        page.kept.textContent = page.kept.hidden ? "" : kept(merchant_name);
      });
      onPay(payLabel);
      if (isFullPage && cancel_url && isWebAddress(cancel_url)) {
        page.back.href = cancel_url;
        page.back.hidden = false;
      }
    },
    form() {
      write(null);
      idle();
    },
    busy(step) {
      page.show("form");
      if (step !== "reconnecting") write(null);
      fields.lock(true);
      page.pay.disabled = false;
      page.pay.setAttribute("aria-disabled", "true");
      onPay((texts) => texts.steps[step]);
      page.live.textContent = words.texts.steps[step];
    },
    declined(reason, cardholderInfo) {
      idle();
      write((texts) => {
        const sentence = occasion(texts).declined[reason];
        return cardholderInfo ? `${sentence} ${cardholderInfo}` : sentence;
      }, reason === "authentication_canceled");
      page.live.textContent = "";
      page.notice.focus();
    },
    notice(name) {
      write(name && ((texts) => occasion(texts).notices[name]));
      if (!name) return;
      page.show("form");
      page.live.textContent = "";
      page.notice.focus();
    },
    result(name, press) {
      fields.lock(true);
      if (press) return showResult(name, press.press, (texts) => texts[press.label]);
      const link = wayBack(name === "processing");
      showResult(name, link?.href, link?.label);
    },
    finished(name) {
      const link = wayBack(true);
      if (!link || !session?.return_url) return showResult(name, link?.href, link?.label);
      const { merchant_name } = session;
      showResult(name, link.href, link.label, (texts) => texts.takingYouBack(merchant_name));
      // `replace`: Back from the shop's page must not come to a checkout that is over.
      setTimeout(() => window.location.replace(link.href), leaveAfterMs);
    },
  };
}

/** What there is to pay; null where a card is only saved. */
function totalOf({ mode, amount, currency }: FrameSession["session"], texts: Texts): string | null {
  if (mode === "setup") return null;
  if (amount === null || currency === null) throw new Error("Bug: a session to pay without an amount");
  return formatAmount(amount, currency, texts.amounts);
}
