/**
 * The field for a promotion code, which is up to the shop. The page tells the host page that there is something to decide,
 * without the code, and asks the service for ten seconds what the shop decided. Pay is disabled meanwhile. If the shop
 * decides later, the page learns it the next time that the session is opened. Whenever that is, the customer pays only the
 * total that the page shows.
 *
 * ```
 * idle --code entered--> asking --accepted | rejected--> idle
 *   ^                      |
 *   |                      +--ten seconds, or no connection--> unanswered --session opened, and decided--> idle
 *   +------------------------------ code entered -----------------+
 * ```
 */
import type { FramePromotionCodeEntry, FrameUpdateRequest } from "@oriel/protocol/frame";
import type { ChoiceTexts } from "../../texts/texts.ts";
import { createChoiceElement } from "./choice.ts";
import type { Choice, ChoicesWorld } from "./choice.ts";

type Refusal = keyof ChoiceTexts["codeRefused"];
type Said = "codeAccepted" | "codeMissing" | "codesUsedUp" | "codeNotChecked" | Refusal;

/** How long Pay is disabled at most, for a reply of the shop. */
const patienceMs = 10_000;
const pollMs = 1_000;
/** For a request that only reads. */
const readTimeoutMs = 3_000;
/** How long to wait for the new total, once the shop has accepted the code. */
const refreshPatienceMs = 5_000;

export function createPromotionCode(world: ChoicesWorld): Choice {
  const { page, request, flow, hold, now } = world;
  const { document } = page;
  const code = document.createElement("input");
  code.id = "promotion-code";
  code.dataset["testid"] = "oriel-promotion-code";
  code.autocomplete = "off";
  code.spellcheck = false;
  code.maxLength = 64;
  const apply = document.createElement("button");
  apply.dataset["testid"] = "oriel-apply-code";
  const { element, label, say } = createChoiceElement(document, "form", code);
  code.after(apply);

  let texts: ChoiceTexts | null = null;
  let isChecking = false;
  let isUsedUp = false;
  let sentence: Said | null = null;
  /** The latest entry on this page that the shop hasn't decided about. */
  let entry: number | null = null;

  const write = () => {
    if (!texts) return;
    label.textContent = texts.promotionCode;
    apply.textContent = isChecking ? texts.checkingCode : texts.applyCode;
    const text = sentence && (isRefusal(sentence) ? texts.codeRefused[sentence] : texts[sentence]);
    say(text ?? "", sentence !== null && sentence !== "codeAccepted");
    // Disabling the button would lose the focus.
    apply.setAttribute("aria-disabled", String(isChecking || isUsedUp));
    code.readOnly = isChecking || isUsedUp;
  };
  /** What the shop decided about this page's entry; null if it hasn't. */
  const check = async (timeoutMs: number): Promise<Said | null> => {
    const response = await request("update_request", undefined, timeoutMs);
    if (response.kind !== "answer") return null;
    const { entry: latest, status, reason } = response.body as FrameUpdateRequest; // from our own origin, under our own types
    if (latest !== entry || status === "pending") return null;
    return status === "accepted" ? "codeAccepted" : (reason ?? "invalid");
  };
  const enter = async (promotion_code: string): Promise<Said> => {
    const until = now() + patienceMs;
    const entered = await request("promotion_code", { promotion_code, version: flow.shownVersion() }, patienceMs);
    if (entered.kind === "refused" && entered.code === "promotion_codes_used_up") {
      isUsedUp = true;
      return "codesUsedUp";
    }
    if (entered.kind === "refused" && entered.code === "parameter_invalid") return "invalid";
    if (entered.kind !== "answer") return "codeNotChecked";
    ({ entry } = entered.body as FramePromotionCodeEntry); // from our own origin, under our own types
    world.emit("updaterequest", { kind: "promotion_code" });
    while (now() < until) {
      await world.wait(pollMs);
      const decided = await check(Math.max(1, Math.min(readTimeoutMs, until - now())));
      if (decided) return decided;
    }
    return "codeNotChecked";
  };
  const finish = async (outcome: Said) => {
    if (outcome !== "codeNotChecked") entry = null;
    if (outcome === "codeAccepted") {
      code.value = "";
      await Promise.race([flow.refresh(), world.wait(refreshPatienceMs)]);
    }
    isChecking = false;
    sentence = outcome;
    hold(false);
    write();
    if (outcome === "codeAccepted") page.live.textContent = page.amount.textContent;
  };

  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    const entered = code.value.trim();
    if (isChecking || isUsedUp || flow.isBusy() || world.isDisabled()) return;
    sentence = entered === "" ? "codeMissing" : null;
    if (entered === "") {
      code.focus();
      return write();
    }
    isChecking = true;
    hold(true);
    write();
    await finish(await enter(entered));
  });
  document.defaultView?.addEventListener("pagehide", () => (code.value = ""));

  return {
    element,
    isOffered: ({ collect }) => collect.promotion_code,
    show(_session, current) {
      texts = current;
      write();
      if (entry === null || isChecking) return;
      void check(readTimeoutMs).then((decided) => (decided && !isChecking ? finish(decided) : null));
    },
  };
}

function isRefusal(said: Said): said is Refusal {
  return said === "invalid" || said === "expired" || said === "not_applicable";
}
