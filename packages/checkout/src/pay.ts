/**
 * The later code: everything that Pay needs. Fetched after the frame's `load`, started once by the first script with what that has.
 *
 * It wires the pieces and owns the page's timers; what each piece trusts stands in its own file.
 */
import { challengeWindowSize } from "@oriel/protocol/threeds";
import type { Room } from "@oriel/protocol/windows";
import { createAlarm, ringOnReturn } from "./alarm.ts";
import { readBrowserFields } from "./browser-fields.ts";
import type { CardFields } from "./card-fields.ts";
import { checkCard } from "./check-card.ts";
import { mayPostChallenge } from "./client-secret.ts";
import { bindFieldErrors } from "./field-errors.ts";
import { createFrameApi } from "./frame-api.ts";
import type { CallResult, FrameCall } from "./frame-call.ts";
import { followHeight } from "./follow-height.ts";
import { createHostLink } from "./host-link.ts";
import type { InitInbox } from "./init-inbox.ts";
import type { Page } from "./page.ts";
import { createPaymentFlow } from "./payment-flow.ts";
import { createScreen } from "./screen.ts";
import { earlyResults } from "./text.ts";
import { showTestPanel } from "./test-panel.ts";
import { challengeRoom } from "./threeds/challenge-room.ts";
import { runChallenge } from "./threeds/run-challenge.ts";
import { runMethod } from "./threeds/run-method.ts";
import { openRunner } from "./threeds/runner-frame.ts";
import { wipeWhenIdle } from "./wipe-when-idle.ts";

export interface FirstScript {
  page: Page;
  fields: CardFields;
  inbox: InitInbox;
  /** The call that opens the session, under way since the first script ran. */
  opening: Promise<CallResult>;
  sessionId: string;
  secret: string;
  call: FrameCall;
  window: Window & typeof globalThis;
}

/** A clock that runs ahead of the service's must not make this page ask every second. */
const expiryLookMs = 15_000;

export function startPaying({ page, fields, inbox, opening, sessionId, secret, call, window }: FirstScript): void {
  // No WebCrypto, no encryption, no card: an old browser, or a page served without TLS.
  if (!window.isSecureContext || !("subtle" in window.crypto)) {
    fields.wipe();
    return page.showResult("unsupported", earlyResults.unsupported);
  }
  const now = () => Date.now();
  const alarm = createAlarm();
  const api = createFrameApi(call, sessionId, secret);
  const screen = createScreen(page, fields, window);
  const errors = bindFieldErrors(page, now);
  let room: Room | null = null;
  let isIntroduced = false;
  let expiryTimer: ReturnType<typeof setTimeout> | undefined;

  const host = createHostLink(
    inbox,
    {
      connected() {
        page.document.documentElement.classList.add("linked");
        followHeight(page.main, (height) => host.tell("resize", { height }));
      },
      room(told) {
        room = told;
      },
      cancelChallenge: () => flow.cancelChallenge(),
      destroy: () => fields.wipe(),
    },
    now,
  );

  const flow = createPaymentFlow({
    api,
    screen,
    fields,
    host,
    alarm,
    crypto: window.crypto,
    now,
    browser: () => readBrowserFields(window, now()),
    windowSize() {
      const { width, height } = challengeRoom(window, room);
      return challengeWindowSize(width, height);
    },
    runMethod: (payment) => runMethod(payment, page.bank, openRunner),
    runChallenge: (payment) =>
      runChallenge(payment, {
        page,
        api,
        alarm,
        openRunner,
        room: () => challengeRoom(window, room),
        now,
        mayPost: (id) => mayPostChallenge(window.history, id),
        started: (detail) => host.tell("challengestart", detail),
        ended: (detail) => host.tell("challengeend", detail),
      }),
    opened(session) {
      screen.introduce(session);
      if (!session.livemode) {
        showTestPanel(page, fields, now(), () => {
          errors.clear();
          page.pay.focus();
        });
      }
      clearTimeout(expiryTimer);
      if (session.status === "open") {
        // The service says whether it is over; a payment in flight keeps it alive.
        const leftMs = session.expires_at * 1000 - now() + 1000;
        expiryTimer = setTimeout(() => void flow.refresh(), Math.max(leftMs, expiryLookMs));
      }
      if (isIntroduced) return;
      isIntroduced = true;
      host.open(session.allowed_origins);
      const expiresAt = new Date(session.expires_at * 1000).toISOString();
      host.tell("ready", { sessionId: session.id, livemode: session.livemode, expiresAt });
    },
  });

  page.form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (flow.isBusy()) return;
    const checked = checkCard({ number: page.number.value, expiry: page.expiry.value, cvc: page.cvc.value }, now());
    if ("problems" in checked) return errors.show(checked.problems);
    errors.clear();
    void flow.pay(checked.card);
  });
  wipeWhenIdle(page, now, () => {
    if (flow.isBusy()) return;
    const hadCard = page.number.value !== "" || page.cvc.value !== "";
    fields.wipe();
    errors.clear();
    if (hadCard && page.main.dataset["view"] === "form") screen.notice("wiped");
  });
  ringOnReturn(alarm, window);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) void flow.refresh();
  });
  void flow.begin(opening);
}
