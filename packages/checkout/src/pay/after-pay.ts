/** What comes after Pay, put together from its parts: the payment's end, and the bank's pages on the way there. */
import type { Room } from "@oriel/protocol/windows";
import { addStyles } from "../page/add-styles.ts";
import { createWakeableWait, wakeOnReturn } from "../service/wakeable-wait.ts";
import css from "./after-pay.css?inline";
import type { FrameApi } from "../service/frame-api.ts";
import { createOutcomeScreen, declineSentence } from "../page/outcome-screen.ts";
import { noticeSentence, occasionOf } from "../page/screen.ts";
import type { Screen } from "../page/screen.ts";
import { createSettlement } from "./settle-payment.ts";
import type { FlowControl, Settlement, SettlementWorld } from "./settle-payment.ts";
import { createBank } from "../threeds/bank.ts";
import type { BankWorld } from "../threeds/bank.ts";
import type { ChallengePlace } from "../threeds/place-challenge.ts";

export interface AfterPayWorld extends Omit<BankWorld, "wait">, Pick<SettlementWorld, "note" | "fields" | "beside"> {
  api: FrameApi;
  screen: Screen;
  window: Window;
  /** As last told by the host page. */
  room(): Room | null;
  /** Calls this when the host page says so for the first time. */
  onRoom(listener: () => void): void;
  place(): ChallengePlace;
  loadReceipt: Parameters<typeof createOutcomeScreen>[4];
}

/** For the host page's first word; without one the challenge stands where the form is. */
const roomPatienceMs = 1_000;

export function createAfterPay(world: AfterPayWorld, control: FlowControl): Settlement {
  const { page, tell, now, window, room, place } = world;
  const wait = createWakeableWait();
  wakeOnReturn(wait, window);
  world.onRoom(() => wait.wake());
  addStyles(page.document, css);
  const bank = createBank({ ...world, wait });
  let leftFor = "";
  return createSettlement(
    {
      ...world,
      wait,
      screen: { ...world.screen, ...createOutcomeScreen(page, world.screen, window, now, world.loadReceipt) },
      host: { tell },
      declineSentence: (session, reason) => declineSentence(page.words.texts, session, reason),
      noticeSentence: (session, name) => noticeSentence(page.words.texts, occasionOf(session), name),
      runMethod: bank.runMethod,
      runDecoupled: bank.runDecoupled,
      async runChallenge(payment) {
        // After a reload a challenge may be found before the host page has said what room there is, and how it wants it.
        if (!room() && window.parent !== window) await wait.for(roomPatienceMs);
        const where = place();
        const presentation = where.presentation(payment.window_size);
        if (presentation !== "redirect") return bank.runChallenge(payment, presentation, where.heightOf(presentation));
        if (leftFor !== payment.id) tell("leave", {});
        leftFor = payment.id;
        return "elsewhere";
      },
    },
    control,
  );
}
