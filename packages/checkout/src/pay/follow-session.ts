/**
 * Shows what belongs to the session but not to the form, each time the session is opened: its order and what the
 * customer can choose about it, the test cards in test mode, and its last minute.
 */
import type { FrameSession } from "@oriel/protocol/frame";
import type { CardFields } from "../form/card-fields.ts";
import type { FormSettings } from "../form/form-settings.ts";
import type { FormWatch } from "../form/watch-form.ts";
import type { FrameLog } from "../host/frame-log.ts";
import type { HostPage } from "../host/host-page.ts";
import type { Page } from "../page/page.ts";
import type { FrameApi } from "../service/frame-api.ts";
import { createExpiryWatch } from "./expiry-watch.ts";
import type { PaymentFlow } from "./payment-flow.ts";

export interface SessionParts {
  page: Page;
  window: Window;
  api: Pick<FrameApi, "session" | "now" | "requestOfSession">;
  fields: CardFields;
  settings: FormSettings;
  form: Pick<FormWatch, "refresh">;
  host: Pick<HostPage, "emit">;
  log: Pick<FrameLog, "note">;
  /** Disables Pay, or enables it again. */
  hold(isHeld: boolean): void;
  flow: Pick<PaymentFlow, "onOpened" | "onRefused" | "refresh" | "isBusy" | "shownVersion">;
}

export function followSession({
  page,
  window,
  api,
  fields,
  settings,
  form,
  host,
  log,
  hold,
  flow,
}: SessionParts): void {
  const { session, now, requestOfSession } = api;
  let hadItems = false;
  flow.onOpened((opened) => {
    hadItems ||= opened.line_items.length > 0;
    if (!hadItems) return;
    import("./on-demand.ts").then(
      ({ showOrderDetails }) => showOrderDetails(page, opened, window),
      () => log.note("frame", "no order details"),
    );
  });

  let choices: Promise<(session: FrameSession["session"]) => void> | null = null;
  const loadChoices = async () =>
    (await import("./on-demand.ts")).createOrderChoices({
      page,
      request: requestOfSession,
      now,
      flow,
      hold,
      isDisabled: settings.isDisabled,
      emit: host.emit,
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    });
  flow.onOpened((opened) => {
    const noChoices = () => delete page.document.documentElement.dataset["choices"]; // see checkout.css
    if (!choices && opened.shipping_options.length < 2 && !opened.collect.promotion_code) return noChoices();
    choices ??= loadChoices();
    choices.then(
      (show) => show(opened),
      () => {
        log.note("frame", "no choices");
        noChoices();
      },
    );
  });

  let isTestMode = false;
  flow.onOpened(({ livemode }) => {
    if (livemode || isTestMode) return;
    isTestMode = true;
    const filled = () => {
      form.refresh();
      page.pay.focus();
    };
    // Customers don't need this panel, so a failure is only logged.
    import("../form/test-panel.ts").then(
      ({ startTestMode }) => startTestMode({ page, fields, settings, session, now, filled }),
      () => log.note("frame", "no test panel"),
    );
  });

  const expiry = createExpiryWatch({
    document: page.document,
    now,
    expiring(secondsLeft) {
      host.emit("expiring", { secondsLeft });
      const endsAtMs = now() + secondsLeft * 1000;
      import("./on-demand.ts").then(
        ({ showTimeLeft }) => showTimeLeft(page, endsAtMs, now),
        () => {}, // the session's end is still shown
      );
    },
    refresh() {
      if (session()?.status === "open") void flow.refresh();
      else expiry.follow(null);
    },
  });
  flow.onOpened(({ status, expires_at }) => expiry.follow(status === "open" ? expires_at * 1000 : null));
  flow.onRefused(() => expiry.follow(null));
}
