/**
 * The field for a promotion code, which the shop accepts or rejects. The page notifies the host page, without the code, and
 * asks the service for the shop's reply for up to ten seconds. Pay is disabled meanwhile. A later reply is shown the next
 * time the session is opened. Whenever that is, the customer pays only the total that the page shows.
 *
 * ```
 * idle --code entered--> checking --accepted | rejected--> idle
 *   ^                       |
 *   |                       +--ten seconds, or no connection--> unanswered --session opened, and replied--> idle
 *   +------------------------------- code entered -----------------+
 * ```
 */
import type { FramePromotionCodeEntry, FrameUpdateRequest } from "@oriel/protocol/frame";
import type { Outcome } from "../../service/frame-api.ts";
import type { ChoiceTexts } from "../../texts/texts.ts";
import { createChoiceElement } from "./choice.ts";
import type { Choice, ChoicesWorld } from "./choice.ts";

type Rejection = keyof ChoiceTexts["codeRejected"];
type Said = "codeAccepted" | "codeMissing" | "codesUsedUp" | "codeNotChecked" | Rejection;

/** For how long Pay is disabled at most. */
const patienceMs = 10_000;
const pollMs = 1_000;
/** For a request that only reads. */
const readTimeoutMs = 3_000;

export function createPromotionCode(world: ChoicesWorld): Choice {
  const { page, flow, hold, now } = world;
  const { document } = page;
  const field = document.createElement("input");
  field.id = "promotion-code";
  field.dataset["testid"] = "oriel-promotion-code";
  field.autocomplete = "off";
  field.spellcheck = false;
  field.maxLength = 64;
  const apply = document.createElement("button");
  apply.dataset["testid"] = "oriel-apply-code";
  const { element, label, say } = createChoiceElement(document, "form", field);
  field.after(apply);

  let texts: ChoiceTexts | null = null;
  let isChecking = false;
  let isUsedUp = false;
  let sentence: Said | null = null;
  /** The latest code from this page to which the shop hasn't replied, and the number of its entry. */
  let unanswered: { code: string; entry: number } | null = null;

  const write = () => {
    if (!texts) return;
    label.textContent = texts.promotionCode;
    apply.textContent = isChecking ? texts.checkingCode : texts.applyCode;
    const text = sentence && (isRejection(sentence) ? texts.codeRejected[sentence] : texts[sentence]);
    say(text ?? "", sentence !== null && sentence !== "codeAccepted");
    // Disabling the button would lose the focus.
    apply.setAttribute("aria-disabled", String(isChecking || isUsedUp));
    field.readOnly = isChecking || isUsedUp;
  };
  const conclude = (said: Said) => {
    if (said === "codeAccepted") {
      field.value = "";
      page.live.textContent = page.amount.textContent;
    }
    sentence = said;
    write();
  };
  /** The shop's reply to this page's own code; null until it has replied. */
  const readReply = async (timeoutMs: number): Promise<Said | null> => {
    const response = await world.request("update_request", undefined, timeoutMs);
    if (response.kind !== "answer") return null;
    const { entry, status, reason } = response.body as FrameUpdateRequest; // from our own origin, under our own types
    if (entry !== unanswered?.entry || status === "pending") return null;
    unanswered = null;
    return status === "accepted" ? "codeAccepted" : (reason ?? "invalid");
  };
  /** Sends the code for the order that the page shows, and once more if that has changed. */
  const send = async (code: string, until: number): Promise<Outcome<unknown>> => {
    const sent = () =>
      world.request(
        "promotion_code",
        { promotion_code: code, version: flow.shownVersion() },
        Math.max(1, until - now()),
      );
    const first = await sent();
    if (first.kind !== "refused" || first.code !== "session_changed") return first;
    await flow.refresh();
    return sent();
  };
  const enter = async (code: string, until: number): Promise<Said> => {
    const sent = await send(code, until);
    if (sent.kind === "refused" && sent.code === "promotion_codes_used_up") {
      isUsedUp = true;
      return "codesUsedUp";
    }
    if (sent.kind === "refused" && sent.code === "parameter_invalid") return "invalid";
    if (sent.kind !== "answer") return "codeNotChecked";
    const { entry } = sent.body as FramePromotionCodeEntry; // from our own origin, under our own types
    unanswered = { code, entry };
    world.emit("updaterequest", { kind: "promotion_code" });
    while (now() < until) {
      await world.wait(pollMs);
      const reply = await readReply(Math.max(1, Math.min(readTimeoutMs, until - now())));
      if (reply) return reply;
    }
    return "codeNotChecked";
  };

  const showLateReply = async (code: string) => {
    const reply = await readReply(readTimeoutMs);
    // The customer may be entering another code by now.
    if (reply && !isChecking && field.value.trim() === code) conclude(reply);
  };

  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    const code = field.value.trim();
    if (isChecking || isUsedUp || flow.isBusy() || world.isDisabled()) return;
    if (code === "") {
      field.focus();
      return conclude("codeMissing");
    }
    isChecking = true;
    sentence = null;
    hold(true);
    write();
    const until = now() + patienceMs;
    const said = await enter(code, until);
    // Shows the new total or, if the page couldn't find out what happened, what the service knows.
    const refreshed = said === "codeAccepted" || said === "codeNotChecked" ? flow.refresh() : null;
    if (said === "codeAccepted") await Promise.race([refreshed, world.wait(Math.max(0, until - now()))]);
    isChecking = false;
    hold(false);
    conclude(said);
  });

  return {
    element,
    isOffered: ({ collect }) => collect.promotion_code,
    show(_session, current) {
      texts = current;
      write();
      if (unanswered && !isChecking) void showLateReply(unanswered.code);
    },
  };
}

function isRejection(said: Said): said is Rejection {
  return said === "invalid" || said === "expired" || said === "not_applicable";
}
