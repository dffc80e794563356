/**
 * The later code: everything that Pay needs. Fetched after the frame's `load`, started once by the first script with what that has.
 *
 * It wires the pieces and owns the page's timers; what each piece trusts stands in its own file.
 */
import type { FrameErrorCode, FrameEventName, FrameEvents, Room } from "@oriel/protocol/windows";
import { createAfterPay } from "./after-pay.ts";
import { readBrowserFields } from "../service/browser-fields.ts";
import { bindCardFields } from "../form/card-fields.ts";
import { createDisabledForm } from "../form/disabled-form.ts";
import { dropUnreadable } from "../page/drop-unreadable.ts";
import { createExpiryWatch } from "./expiry-watch.ts";
import { followHeight } from "../host/follow-height.ts";
import { createFormSettings } from "../form/form-settings.ts";
import { createFrameApi } from "../service/frame-api.ts";
import type { CallResult, FrameCall } from "../service/frame-call.ts";
import { createFrameLog } from "../host/frame-log.ts";
import { createHostLink } from "../host/host-link.ts";
import type { InitInbox } from "../host/init-inbox.ts";
import { finishPage } from "../page/finish-page.ts";
import { nextReport } from "../host/report-interval.ts";
import type { FirstPage } from "../page/page.ts";
import { createPaymentFlow } from "./payment-flow.ts";
import { findObstacle } from "../page/find-obstacle.ts";
import { openElsewhere } from "../service/client-secret.ts";
import { noVerbs, openLine } from "../host/port-line.ts";
import { createPressPay } from "./press-pay.ts";
import { createScreen } from "../page/screen.ts";
import { sendCard } from "../service/send-card.ts";
import type { LaterTexts } from "../texts/texts.ts";
import { isGrown } from "../threeds/bank-overlay.ts";
import { placeChallenge } from "../threeds/place-challenge.ts";
import { askOnceMore } from "../visibility/ask-once-more.ts";
import { createPressGuard } from "../visibility/guard-press.ts";
import { watchSight } from "../visibility/watch-sight.ts";
import { watchForm } from "../form/watch-form.ts";
import { wipeWhenIdle } from "../form/wipe-when-idle.ts";

/** The loader speaks as soon as the page has loaded. It is waited for a while longer before the customer is told that the page can't be used. */
const loaderPatienceMs = 5_000;

/** Browsers fetch and run it once. */
const loadOnDemand = () => import("./on-demand.ts");

export interface FirstScript {
  page: FirstPage;
  /** What the form says, in the page's own language. */
  texts: LaterTexts;
  inbox: InitInbox;
  /** As the address names it. */
  sessionId: string;
  /** The call that opens the session, under way since the first script ran. */
  opening: Promise<CallResult>;
  /** The same call again, which also asks about a payment request without an answer. */
  open(lost?: string): Promise<CallResult>;
  call: FrameCall;
  window: Window & typeof globalThis;
}

export function startPaying({ page: firstPage, texts, inbox, sessionId, opening, open, call, window }: FirstScript): void {
  /** Most pages never need it. */
  const tellFailure = (code: FrameErrorCode) => {
    const world = {
      inbox,
      sessionId,
      call,
      openLine: (port: MessagePort, connected: () => void) => openLine(port, noVerbs, connected),
    };
    loadOnDemand().then(
      (extras) => extras.tellFailure(code, world),
      () => {}, // the host page finds out by asking why this frame is silent
    );
  };
  const obstacle = findObstacle(window);
  if (obstacle) {
    firstPage.form.reset();
    tellFailure(obstacle === "sandboxed" ? obstacle : "unsupported_browser");
    return firstPage.showEarlyResult(obstacle);
  }
  const page = finishPage(firstPage, texts);
  const fields = bindCardFields(page, loadOnDemand);
  /** For what only counts how long something took, from before the service's time is known. */
  const deviceNow = () => Date.now();
  const log = createFrameLog(deviceNow);
  const api = createFrameApi(call, open, window.history, deviceNow);
  const { now } = api;
  const settings = createFormSettings(page, dropUnreadable, loadOnDemand);
  let room: Room | null = null;
  let roomTold = () => {};
  /** The host page's one init has been taken. */
  let isIntroduced = false;
  let isLinked = false;
  let isTestMode = false;
  let measure = () => {};

  const tell = <K extends FrameEventName>(name: K, detail: FrameEvents[K]): void => {
    log.note("event", name);
    link.tell(name, detail);
  };
  const form = watchForm(page, fields.network, now, tell);
  const link = createHostLink(
    inbox,
    () => {
      log.note("frame", "linked");
      isLinked = true;
      page.document.documentElement.classList.add("linked");
      const tellHeight = (height: number) => tell("resize", { height });
      measure = followHeight(page.main, () => isGrown(page.document), tellHeight, now);
    },
    {
      ...form,
      focus: (field) => guard.forHost(() => form.focus(field)),
      room(told) {
        const isFirst = !room;
        room = told;
        if (isFirst) roomTold();
      },
      update: settings.update,
      async validate() {
        await nextReport(now);
        return validate("host");
      },
      submit() {
        log.note("asked", "submit");
        return pressPay.byHost();
      },
      cancelChallenge() {
        log.note("asked", "cancelChallenge");
        flow.cancelChallenge();
      },
      report: log.lines,
      destroy: () => fields.wipe(),
    },
    now,
  );
  const place = () => placeChallenge(window, room, settings.current().challenge);
  const isIdle = () => !flow.isBusy() && page.main.dataset["view"] === "form";
  const disabled = createDisabledForm(createScreen(page, fields, window), page, fields, isIdle);

  const flow = createPaymentFlow({
    api,
    screen: disabled.screen,
    fields,
    host: { tell },
    send(card) {
      const network = fields.network.chosen();
      return sendCard(
        { ...card, ...(network && { network }) },
        {
          api,
          crypto: window.crypto,
          browser: () => readBrowserFields(window, now()),
          billing: settings.billing,
          windowSize: () => place().windowSize,
        },
      );
    },
    isOnline: () => window.navigator.onLine,
    settlement: (control) =>
      createAfterPay(
        {
          page,
          api,
          screen: disabled.screen,
          fields: {
            ...fields,
            wipeCvc() {
              fields.wipeCvc();
              form.look();
            },
          },
          beside: { leaveOut: settings.leaveOut, refuse: form.refuse },
          now,
          window,
          history: window.history,
          tell,
          note: log.note,
          room: () => room,
          onRoom: (listener) => (roomTold = listener),
          place,
          loadReceipt: loadOnDemand,
          shrunk: () => measure(),
        },
        control,
      ),
    opened(session) {
      disabled.screen.introduce(session);
      settings.introduce(session);
      if (session.line_items.length > 0) {
        loadOnDemand().then(
          ({ showOrderDetails }) => showOrderDetails(page, session, window),
          () => log.note("frame", "no order details"),
        );
      }
      if (!session.livemode && !isTestMode) {
        isTestMode = true;
        const filled = () => {
          form.look();
          page.pay.focus();
        };
        // Only developers miss it if it does not come.
        import("../form/test-panel.ts").then(
          ({ startTestMode }) => startTestMode({ page, fields, settings, session: api.session, now, filled }),
          () => log.note("frame", "no test panel"),
        );
      }
      const endsAtMs = session.expires_at * 1000;
      const isOpen = session.status === "open";
      if (!isIntroduced) {
        isIntroduced = true;
        link.open(session.allowed_origins);
        // Of a session that is over there is no form to be ready.
        if (isOpen) {
          tell("ready", { sessionId: session.id, livemode: session.livemode, expiresAt: new Date(endsAtMs).toISOString() });
        }
      }
      expiry.follow(isOpen ? endsAtMs : null);
    },
    refused() {
      if (isIntroduced) return;
      isIntroduced = true;
      tellFailure("session_invalid");
    },
  });
  const expiry = createExpiryWatch({
    document: page.document,
    now,
    expiring(secondsLeft) {
      tell("expiring", { secondsLeft });
      const endsAtMs = now() + secondsLeft * 1000;
      loadOnDemand().then(
        ({ showTimeLeft }) => showTimeLeft(page, endsAtMs, now),
        () => {}, // the end itself is shown all the same
      );
    },
    ask() {
      if (api.session()?.status === "open") void flow.refresh();
      else expiry.follow(null);
    },
  });
  const sight = watchSight(page, window, deviceNow);
  const guard = createPressGuard({
    page,
    window,
    sight,
    isHeld: () => settings.current().disabled === true,
    askOnceMore,
    leave: () => (isLinked ? tell("leave", {}) : openElsewhere(window)),
  });
  const validate = (by: "customer" | "host") => (by === "host" ? guard.forHost(() => form.validate(by)) : form.validate(by));
  const pressPay = createPressPay({
    page,
    flow,
    session: api.session,
    settings: settings.current,
    validate,
    guard,
    now,
  });

  settings.onChange(() => {
    sight.restart();
    disabled.set(settings.current().disabled === true || settings.isWaiting());
    form.look();
  });
  page.form.addEventListener("submit", (event) => {
    event.preventDefault();
    void pressPay.byCustomer();
  });
  wipeWhenIdle(page, deviceNow, () => {
    // Sent long ago: the fields are locked, and nobody needs them any more.
    if (flow.isBusy()) return fields.wipe();
    const hadCard = page.number.value !== "" || page.cvc.value !== "";
    form.clear();
    if (hadCard && page.main.dataset["view"] === "form") disabled.screen.notice("wiped");
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) void flow.refresh();
  });
  window.addEventListener("online", () => void flow.online());
  // A loader always names a theme, and then speaks. A copy of its iframe, such as a page cache makes, has no loader: nobody would hear of a payment.
  if (page.settings.appearance?.theme) {
    const timer = setTimeout(() => disabled.screen.result("invalid"), loaderPatienceMs);
    void inbox.then(() => clearTimeout(timer));
    void flow.begin(inbox.then(() => opening));
  } else void flow.begin(opening);
}
