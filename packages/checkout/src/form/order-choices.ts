/**
 * What the customer can choose about the order: one of the shop's shipping options, and a promotion code. The service
 * or the shop changes the session, and then the page reads it again, so that it never computes an amount itself.
 *
 * The service takes a shipping option at once. A code is up to the shop: the page tells the host page that there is
 * something to read, without the code, and asks the service for ten seconds what the shop decided. Pay is disabled
 * meanwhile. A later answer still counts: whatever the customer pays is the total that the page shows.
 */
import { formatAmount } from "@oriel/protocol/currency";
import type { FrameSession, FrameUpdateRequest } from "@oriel/protocol/frame";
import type { FrameEvents } from "@oriel/protocol/windows";
import type { Page } from "../page/page.ts";
import type { FrameApi } from "../service/frame-api.ts";
import type { ChoiceTexts, Texts } from "../texts/texts.ts";

type Session = FrameSession["session"];

export interface ChoicesWorld {
  page: Page;
  ask: FrameApi["ask"];
  flow: {
    isBusy(): boolean;
    /** Of the order that the page shows. */
    shownVersion(): number | undefined;
    refresh(): Promise<void>;
  };
  /** The host page has disabled the form. */
  isDisabled(): boolean;
  emit(name: "updaterequest", detail: FrameEvents["updaterequest"]): void;
  /** Milliseconds. */
  wait(ms: number): Promise<void>;
}

type Said = "codeAccepted" | "codeMissing" | "codesUsedUp" | "codeNotChecked" | "notChosen" | Refusal;
type Refusal = keyof ChoiceTexts["codeRefused"];

/** How often the service is asked, once a second, what the shop decided. */
const checks = 10;

/** @returns shows the choices of the session, each time it's opened */
export function createOrderChoices(world: ChoicesWorld): (session: Session) => void {
  const { page, ask, flow } = world;
  const { document, words } = page;
  const root = document.createElement("div");
  root.className = "choices";

  const select = document.createElement("select");
  select.id = "shipping";
  select.dataset["testid"] = "oriel-shipping";
  const shipping = labeled(select, "div");
  const code = document.createElement("input");
  code.id = "promotion-code";
  code.dataset["testid"] = "oriel-promotion-code";
  code.autocomplete = "off";
  code.spellcheck = false;
  code.maxLength = 64;
  code.setAttribute("aria-describedby", "choices-said");
  const apply = document.createElement("button");
  apply.dataset["testid"] = "oriel-apply-code";
  const codes = labeled(code, "form");
  codes.append(apply);
  const said = document.createElement("p");
  said.id = "choices-said";
  said.setAttribute("role", "status");

  let shown: Session | null = null;
  let isAsking = false;
  /** The shipping option that the customer has chosen and that wasn't requested yet. */
  let wanted: string | null = null;
  let texts: ChoiceTexts | null = null;
  let sentence: Said | null = null;
  let isUsedUp = false;
  /** The options as they're written. */
  let written = "";

  const write = ({ locale }: Pick<Texts, "locale"> = words.texts) => {
    if (!texts || !shown) return;
    const { currency, shipping_options: options, shipping_option } = shown;
    shipping.label.textContent = texts.shipping;
    codes.label.textContent = texts.promotionCode;
    apply.textContent = isAsking ? texts.checkingCode : texts.applyCode;
    const offered = options.map(({ id, name, amount }) => ({
      value: id,
      textContent: `${name} · ${formatAmount(amount, currency ?? "", locale)}`,
    }));
    const now = JSON.stringify(offered);
    // Replacing them would close the list that the customer may have open.
    if (now !== written)
      select.replaceChildren(...offered.map((option) => Object.assign(document.createElement("option"), option)));
    written = now;
    if (!isAsking) select.value = shipping_option ?? "";
    const isError = sentence !== null && sentence !== "codeAccepted";
    said.textContent = !sentence ? "" : isRefusal(sentence) ? texts.codeRefused[sentence] : texts[sentence];
    said.classList.toggle("error", isError);
    code.setAttribute("aria-invalid", String(isError && sentence !== "notChosen"));
    // Disabling would lose the focus.
    code.readOnly = isAsking || isUsedUp;
    apply.setAttribute("aria-disabled", String(isAsking || isUsedUp));
  };
  /** Makes one change at a time, with Pay disabled, and then says what came of it. */
  const change = async (request: () => Promise<Said | null>): Promise<void> => {
    isAsking = true;
    sentence = null;
    page.pay.disabled = true;
    write();
    const outcome = await request();
    await flow.refresh();
    if (wanted !== null) return change(choose);
    isAsking = false;
    sentence = outcome;
    page.pay.disabled = world.isDisabled(); // a refresh enables it only if there was a response
    write();
    if (outcome === null || outcome === "codeAccepted") page.live.textContent = page.amount.textContent;
  };
  const choose = async (): Promise<Said | null> => {
    const shipping_option = wanted;
    wanted = null;
    const chosen = await ask("shipping_option", { shipping_option, version: flow.shownVersion() });
    return chosen.kind === "answer" ? null : "notChosen";
  };

  select.addEventListener("change", () => {
    if (flow.isBusy()) return write();
    wanted = select.value;
    if (!isAsking) void change(choose);
  });

  codes.addEventListener("submit", (event) => {
    event.preventDefault();
    const promotion_code = code.value.trim();
    if (isAsking || isUsedUp || flow.isBusy()) return;
    if (promotion_code === "") {
      sentence = "codeMissing";
      code.focus();
      return write();
    }
    void change(async () => {
      const entered = await ask("promotion_code", { promotion_code, version: flow.shownVersion() });
      if (entered.kind === "refused" && entered.code === "promotion_codes_used_up") {
        isUsedUp = true;
        return "codesUsedUp";
      }
      if (entered.kind === "refused" && entered.code === "parameter_invalid") return "invalid";
      if (entered.kind !== "answer") return "codeNotChecked";
      world.emit("updaterequest", { kind: "promotion_code" });
      for (let check = 0; check < checks; check++) {
        await world.wait(1_000);
        const asked = await ask("update_request");
        if (asked.kind !== "answer") continue;
        const { status, reason } = asked.body as FrameUpdateRequest; // from our own origin, under our own types
        if (status === "rejected") return reason ?? "invalid";
        if (status === "pending") continue;
        code.value = "";
        return "codeAccepted";
      }
      return "codeNotChecked";
    });
  });

  const speak = async ({ language }: Texts) => {
    const found: object | null = await page.fetchTexts(`${language}.choices`);
    // Our build writes this file next to the language's main one.
    if (found && language === words.texts.language) texts = found as ChoiceTexts;
    write();
  };
  words.write("choices", (current) => void speak(current));

  return (session) => {
    shown = session;
    shipping.hidden = session.shipping_options.length < 2;
    codes.hidden = !session.collect.promotion_code;
    if (session.status !== "open" || (shipping.hidden && codes.hidden)) root.remove();
    else if (!root.isConnected) {
      root.append(shipping, codes, said);
      document.querySelector(".order")?.append(root);
    }
    delete document.documentElement.dataset["choices"]; // the service has reserved the space
    write();
  };

  /** A control with a label before it. */
  function labeled<K extends "div" | "form">(control: HTMLElement, tag: K) {
    const label = document.createElement("label");
    label.htmlFor = control.id;
    const around = document.createElement(tag);
    around.append(label, control);
    return Object.assign(around, { label });
  }
}

function isRefusal(sentence: Said): sentence is Refusal {
  return sentence === "invalid" || sentence === "expired" || sentence === "not_applicable";
}
