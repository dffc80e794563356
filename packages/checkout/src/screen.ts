/**
 * What the customer sees at each moment of a payment, in the words of `text.ts`. It decides nothing: the payment flow tells it what is so.
 * A session of mode `setup` has words of its own and no total; what is kept of the card, and by whom, stands below the button.
 * The links it makes lead to the two addresses that the service gave with the session, and only if they are http(s).
 */
import { formatAmount } from "@oriel/protocol/currency";
import type { CustomerReason } from "@oriel/protocol/declines";
import type { FrameSession } from "@oriel/protocol/frame";
import type { CardFields } from "./card-fields.ts";
import type { Page, ResultNext } from "./page.ts";
import { isWebAddress, returnAddress } from "./return-address.ts";
import * as text from "./text.ts";

export interface Screen {
  /** The session is known: merchant, amount, whether the card is kept, links, test mode. */
  introduce(session: FrameSession["session"]): void;
  /** The form can be used. */
  form(): void;
  busy(step: keyof typeof text.steps): void;
  declined(reason: CustomerReason, cardholderInfo: string | null): void;
  /** A sentence above the fields; `null` takes it away. */
  notice(name: text.NoticeName | null): void;
  /** The end, or a wait. Offers the way back to the shop, or `press` where there is something to do here. */
  result(name: text.ResultName, press?: ResultNext["button"]): void;
  /** Done: a full page goes on to the shop by itself. */
  finished(name: "succeeded" | "requires_confirmation"): void;
}

/** Long enough to see that it worked, short enough not to wait for it. */
const leaveAfterMs = 1500;

export function createScreen(page: Page, fields: CardFields, window: Window): Screen {
  const isFullPage = window.parent === window;
  let session: FrameSession["session"] | null = null;
  let words = text.paying;
  let label: string = text.pay;

  const write = (sentence: string, calm: boolean) => {
    page.notice.textContent = sentence;
    page.notice.hidden = sentence === "";
    page.notice.toggleAttribute("data-calm", calm);
  };
  const idle = () => {
    page.show("form");
    fields.lock(false);
    page.pay.disabled = false;
    page.pay.removeAttribute("aria-disabled");
    page.payLabel.textContent = label;
  };
  /** A merchant's own page has the customer already; only a page of its own leads back. */
  const wayBack = (toReturn: boolean): ResultNext["link"] => {
    if (!isFullPage || !session) return undefined;
    const { return_url, cancel_url, merchant_name, id } = session;
    const href =
      toReturn && return_url ? returnAddress(return_url, id) : cancel_url && isWebAddress(cancel_url) ? cancel_url : null;
    if (!href) return undefined;
    return { href, label: toReturn ? text.continueTo(merchant_name) : text.backTo(merchant_name) };
  };

  return {
    introduce(known) {
      session = known;
      const { merchant_name, description, livemode, cancel_url } = known;
      const total = totalOf(known);
      words = total === null ? text.saving : text.paying;
      label = total === null ? text.save : text.payAmount(total);
      const kept = total === null ? text.keptOnly : known.save_payment_method ? text.keptToo : null;
      delete page.main.dataset["loading"];
      page.document.title = `${merchant_name} · ${words.title}`;
      page.merchant.textContent = merchant_name;
      page.description.textContent = description ?? "";
      page.amount.textContent = total;
      page.amount.hidden = total === null;
      page.badge.hidden = livemode;
      page.payLabel.textContent = label;
      page.kept.textContent = kept && kept(merchant_name);
      page.kept.hidden = kept === null;
      if (isFullPage && cancel_url && isWebAddress(cancel_url)) {
        page.back.href = cancel_url;
        page.back.textContent = text.backTo(merchant_name);
        page.back.hidden = false;
      }
    },
    form() {
      write("", true);
      idle();
    },
    busy(step) {
      page.show("form");
      if (step !== "reconnecting") write("", true);
      fields.lock(true);
      page.pay.disabled = false;
      page.pay.setAttribute("aria-disabled", "true");
      page.payLabel.textContent = text.steps[step];
      page.live.textContent = text.steps[step];
    },
    declined(reason, cardholderInfo) {
      idle();
      write(
        cardholderInfo ? `${words.declined[reason]} ${cardholderInfo}` : words.declined[reason],
        reason === "authentication_canceled",
      );
      page.live.textContent = "";
      page.notice.focus();
    },
    notice(name) {
      write(name ? words.notices[name] : "", true);
      if (!name) return;
      page.show("form");
      page.live.textContent = "";
      page.notice.focus();
    },
    result(name, press) {
      fields.lock(true);
      page.live.textContent = ""; // the result is read out by taking the focus
      const link = press ? undefined : wayBack(name === "processing");
      page.back.hidden = true;
      page.showResult(name, words.results[name], { ...(link && { link }), ...(press && { button: press }) });
    },
    finished(name) {
      page.live.textContent = "";
      const link = wayBack(true);
      page.back.hidden = true;
      const leaves = link !== undefined && session !== null && session.return_url !== null;
      page.showResult(name, words.results[name], {
        ...(link && { link }),
        ...(leaves && session && { hint: text.takingYouBack(session.merchant_name) }),
      });
      // `replace`: Back from the shop's page must not come to a checkout that is over.
      if (leaves) setTimeout(() => window.location.replace(link.href), leaveAfterMs);
    },
  };
}

/** What there is to pay; null where a card is only saved. Nobody is asked to pay a sum that is not named. */
function totalOf({ mode, amount, currency }: FrameSession["session"]): string | null {
  if (mode === "setup") return null;
  if (amount === null || currency === null) throw new Error("Bug: a session to pay without an amount");
  return formatAmount(amount, currency, text.locale);
}
