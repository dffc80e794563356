/** Assembles what follows Pay: following the payment, with the bank's pages along the way, and showing its outcome. */
import type { FrameLog } from "../host/frame-log.ts";
import type { HostPage } from "../host/host-page.ts";
import { addStyles } from "../page/add-styles.ts";
import { createOutcomeScreen, declineSentence } from "../page/outcome-screen.ts";
import { noticeSentence, occasionOf } from "../page/screen.ts";
import type { Screen } from "../page/screen.ts";
import type { FrameApi } from "../service/frame-api.ts";
import { wakeOnReturn } from "../service/wakeable-wait.ts";
import type { Bank, BankWorld } from "../threeds/bank.ts";
import type { ChallengePlace } from "../threeds/place-challenge.ts";
import css from "./after-pay.css?inline";
import { createPaymentFollower } from "./follow-payment.ts";
import type { FlowWorld } from "./payment-flow.ts";

export type AfterPay = Pick<FlowWorld, "screen" | "follower" | "bankLoaded" | "declineSentence" | "noticeSentence">;

export interface AfterPayWorld extends Pick<BankWorld, "page" | "wait"> {
  api: FrameApi;
  screen: Screen;
  window: Window;
  log: Pick<FrameLog, "note">;
  /** The first `room` message ends any wait for it. */
  host: Pick<HostPage, "room" | "emit">;
  place(): ChallengePlace;
  /** Fits the iframe's height to its content again after it was shown over the host page. */
  measure(): void;
}

/** How long to wait for the host page's first `room` message. Without one, the challenge is shown where the form is. */
const sizePatienceMs = 1_000;
/** How long the code for the steps with the bank may take to load. */
const bankPatienceMs = 30_000;

export function createAfterPay(world: AfterPayWorld): AfterPay {
  const { page, api, window, wait, host, place } = world;
  const { now } = api;
  const { emit } = host;
  wakeOnReturn(wait, window);
  addStyles(page.document, css);
  // Requested at once, so that it's there long before the customer has typed a card.
  const requested = import("../threeds/bank.ts").then(
    ({ createBank }) => createBank({ page, api, wait, now, emit, history: window.history, shrunk: world.measure }),
    () => null,
  );
  const loading = Promise.race([requested, new Promise<null>((resolve) => setTimeout(resolve, bankPatienceMs, null))]);
  const loaded = async (): Promise<Bank> => {
    const bank = await loading;
    if (!bank) throw new Error("Bug: a payment is followed without the bank's steps");
    return bank;
  };
  let leftFor = "";
  return {
    screen: {
      ...world.screen,
      ...createOutcomeScreen(page, world.screen, window, now, () => import("./on-demand.ts")),
    },
    bankLoaded: loading.then((bank) => bank !== null),
    declineSentence: (session, reason) => declineSentence(page.words.texts, session, reason),
    noticeSentence: (session, name) => noticeSentence(page.words.texts, occasionOf(session), name),
    follower: createPaymentFollower({
      ...world,
      now,
      note: world.log.note,
      runMethod: async (payment) => (await loaded()).runMethod(payment),
      runDecoupled: async (payment) => (await loaded()).runDecoupled(payment),
      async runChallenge(payment, resumed) {
        // After a reload, a challenge may be found before the host page has said how much room there is and how it
        // wants the challenge shown.
        if (!host.room && window.parent !== window) await wait.for(sizePatienceMs);
        const where = place();
        const presentation = where.presentation(payment.window_size);
        if (presentation !== "redirect") {
          return (await loaded()).runChallenge(payment, resumed, presentation, where.heightOf(presentation));
        }
        if (leftFor !== payment.id) emit("leave", {});
        leftFor = payment.id;
        return "elsewhere";
      },
    }),
  };
}
