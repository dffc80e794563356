/**
 * The later code: everything that Pay needs. Fetched after the frame's `load`, started once by the first script with what that has.
 *
 * It wires the pieces and owns the page's timers; what each piece trusts stands in its own file.
 */
import type { FrameEventName, FrameEvents, Room } from "@oriel/protocol/windows";
import { createAlarm, ringOnReturn } from "./alarm.ts";
import { readBrowserFields } from "./browser-fields.ts";
import { bindCardFields } from "./card-fields.ts";
import { createDisabledForm } from "./disabled-form.ts";
import { createExpiryWatch } from "./expiry-watch.ts";
import { followHeight } from "./follow-height.ts";
import { createFormSettings } from "./form-settings.ts";
import { createFrameApi } from "./frame-api.ts";
import type { CallResult, FrameCall } from "./frame-call.ts";
import { createFrameLog } from "./frame-log.ts";
import { createHostLink } from "./host-link.ts";
import type { InitInbox } from "./init-inbox.ts";
import { finishPage } from "./finish-page.ts";
import { onTheHalfSecond } from "./half-second.ts";
import type { FirstPage } from "./page.ts";
import { createPaymentFlow } from "./payment-flow.ts";
import { createPressPay } from "./press-pay.ts";
import { createScreen } from "./screen.ts";
import { tellFailure } from "./tell-failure.ts";
import { showTestPanel } from "./test-panel.ts";
import { isGrown } from "./threeds/bank-overlay.ts";
import { fetchBankOnce } from "./threeds/fetch-bank.ts";
import { placeChallenge } from "./threeds/place-challenge.ts";
import { watchForm } from "./watch-form.ts";
import { wipeWhenIdle } from "./wipe-when-idle.ts";

export interface FirstScript {
  page: FirstPage;
  inbox: InitInbox;
  /** As the address names it. */
  sessionId: string;
  /** The call that opens the session, under way since the first script ran. */
  opening: Promise<CallResult>;
  /** The same call anew. */
  open(): Promise<CallResult>;
  call: FrameCall;
  window: Window & typeof globalThis;
}

/** For the host page's first word; without one the challenge stands where the form is. */
const roomPatienceMs = 1_000;

export function startPaying({ page: firstPage, inbox, sessionId, opening, open, call, window }: FirstScript): void {
  // No WebCrypto, no encryption, no card: an old browser, or a page served without TLS.
  if (!window.isSecureContext || !("subtle" in window.crypto)) {
    firstPage.form.reset();
    tellFailure("unsupported_browser", inbox, sessionId, call);
    return firstPage.showEarlyResult("unsupported");
  }
  const page = finishPage(firstPage);
  const fields = bindCardFields(page);
  const now = () => Date.now();
  const alarm = createAlarm();
  const log = createFrameLog(now);
  const api = createFrameApi(call, open);
  const settings = createFormSettings(page, fields, now);
  let room: Room | null = null;
  /** The host page's one init has been taken. */
  let isIntroduced = false;
  let leftFor = "";
  let measure = () => {};

  const tell = <K extends FrameEventName>(name: K, detail: FrameEvents[K]): void => {
    log.note("event", name);
    link.tell(name, detail);
  };
  const form = watchForm(page, now, tell);
  const link = createHostLink(
    inbox,
    () => {
      log.note("frame", "linked");
      page.document.documentElement.classList.add("linked");
      const tellHeight = (height: number) => tell("resize", { height });
      measure = followHeight(page.main, () => isGrown(page.document), tellHeight, now);
    },
    {
      ...form,
      room(told) {
        if (!room) alarm.ring();
        room = told;
      },
      update: settings.update,
      async validate() {
        await onTheHalfSecond(now);
        return form.validate("host");
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
  const bank = fetchBankOnce(() => import("./threeds/bank.ts"), {
    page,
    api,
    alarm,
    now,
    history: window.history,
    tell,
    shrunk: () => measure(),
  });
  const place = () => placeChallenge(window, room, settings.current().challenge);
  const isIdle = () => !flow.isBusy() && page.main.dataset["view"] === "form";
  const disabled = createDisabledForm(createScreen(page, fields, window), page, fields, isIdle);

  const flow = createPaymentFlow({
    api,
    screen: disabled.screen,
    fields: {
      wipe: () => fields.wipe(),
      wipeCvc() {
        fields.wipeCvc();
        form.look();
      },
    },
    host: { tell },
    alarm,
    crypto: window.crypto,
    now,
    note: log.note,
    browser: () => readBrowserFields(window, now()),
    billing: settings.billing,
    windowSize: () => place().windowSize,
    declineSentence(reason) {
      const { saving, paying } = page.words.texts;
      return (api.session()?.mode === "setup" ? saving : paying).declined[reason];
    },
    fetchBank: () => void bank(),
    async runMethod(payment) {
      const code = await bank();
      await code?.runMethod(payment);
      return code !== null;
    },
    async runChallenge(payment) {
      // After a reload a challenge may be found before the host page has said what room there is, and how it wants it.
      if (!room && window.parent !== window) await alarm.wait(roomPatienceMs);
      const where = place();
      const presentation = where.presentation(payment.window_size);
      if (presentation === "redirect") {
        if (leftFor !== payment.id) tell("leave", {});
        leftFor = payment.id;
        return "elsewhere";
      }
      return (await bank())?.runChallenge(payment, presentation, where.heightOf(presentation)) ?? "missing";
    },
    opened(session) {
      disabled.screen.introduce(session);
      settings.introduce(session);
      if (!session.livemode) {
        showTestPanel(page, fields, now(), () => {
          form.look();
          page.pay.focus();
        });
      }
      const endsAtMs = session.expires_at * 1000;
      if (!isIntroduced) {
        isIntroduced = true;
        link.open(session.allowed_origins);
        tell("ready", { sessionId: session.id, livemode: session.livemode, expiresAt: new Date(endsAtMs).toISOString() });
      }
      expiry.follow(session.status === "open" ? endsAtMs : null);
    },
    refused() {
      if (isIntroduced) return;
      isIntroduced = true;
      tellFailure("session_invalid", inbox, sessionId, call);
    },
    reload: () => window.location.reload(),
  });
  const expiry = createExpiryWatch({
    document: page.document,
    now,
    expiring: (secondsLeft) => tell("expiring", { secondsLeft }),
    ask() {
      if (api.session()?.status === "open") void flow.refresh();
      else expiry.follow(null);
    },
  });
  const pressPay = createPressPay({
    page,
    flow,
    session: api.session,
    settings: settings.current,
    validate: form.validate,
    now,
  });

  settings.onChange(() => {
    disabled.set(settings.current().disabled === true);
    form.look();
  });
  page.form.addEventListener("submit", (event) => {
    event.preventDefault();
    void pressPay.byCustomer();
  });
  wipeWhenIdle(page, now, () => {
    if (flow.isBusy()) return;
    const hadCard = page.number.value !== "" || page.cvc.value !== "";
    form.clear();
    if (hadCard && page.main.dataset["view"] === "form") disabled.screen.notice("wiped");
  });
  ringOnReturn(alarm, window);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) void flow.refresh();
  });
  void flow.begin(opening);
}
