/**
 * Connects the host page: carries out its requests, and tells it that the form is ready or why there can be no payment.
 * Its `init` arrives only once, so whichever comes first uses it: an opened session or the service's refusal.
 */
import type { FrameErrorCode } from "@oriel/protocol/windows";
import type { CardFields } from "../form/card-fields.ts";
import type { FormSettings } from "../form/form-settings.ts";
import type { FormWatch } from "../form/watch-form.ts";
import type { FrameLog } from "../host/frame-log.ts";
import type { HostOrders } from "../host/frame-verbs.ts";
import { openHostLink } from "../host/host-link.ts";
import type { HostPage } from "../host/host-page.ts";
import type { InitInbox } from "../host/init-inbox.ts";
import { noVerbs, openConnection } from "../host/port-connection.ts";
import { nextReport } from "../host/report-interval.ts";
import type { Page } from "../page/page.ts";
import type { FrameApi } from "../service/frame-api.ts";
import type { FrameCall } from "../service/frame-call.ts";
import type { WakeableWait } from "../service/wakeable-wait.ts";
import type { GuardedPress } from "./guarded-press.ts";
import type { PaymentFlow } from "./payment-flow.ts";

/** What is needed to reach the host page before a session says which origins it allows. */
export interface UnknownHost {
  inbox: InitInbox;
  /** The ID in this page's URL. */
  sessionId: string;
  call: FrameCall;
}

export interface HostParts {
  page: Page;
  log: FrameLog;
  host: HostPage;
  /** The challenge waits for the host page to report how much room there is; `wake` ends that wait. */
  wait: Pick<WakeableWait, "wake">;
  form: FormWatch;
  fields: Pick<CardFields, "wipe">;
  settings: Pick<FormSettings, "update">;
  flow: Pick<PaymentFlow, "cancelChallenge" | "onOpened" | "onRefused" | "refresh">;
  press: GuardedPress;
  /** Tells the host page the form's height, which could not be sent before it was connected. */
  measure(): void;
  api: Pick<FrameApi, "now" | "session">;
}

export function connectHost(unknown: UnknownHost, world: HostParts): void {
  const { page, log, host, form, fields, settings, flow, press, api } = world;
  const { now } = api;
  const orders: HostOrders = {
    ...form,
    focus: (field) => press.forHost(() => form.focus(field)),
    room(reported) {
      if (!host.room) world.wait.wake();
      host.room = reported;
    },
    update: settings.update,
    async validate() {
      await nextReport(now);
      return press.validate("host");
    },
    submit() {
      log.note("asked", "submit");
      return press.byHost();
    },
    async refresh() {
      if (api.session()?.status === "open") await flow.refresh();
    },
    cancelChallenge() {
      log.note("asked", "cancelChallenge");
      flow.cancelChallenge();
    },
    report: log.lines,
    destroy: fields.wipe,
  };
  const connected = () => {
    log.note("frame", "linked");
    host.isLinked = true;
    page.document.documentElement.classList.add("linked");
    world.measure();
  };

  let isInitUsed = false;
  flow.onOpened(({ id, livemode, mode, status, expires_at, allowed_origins }, isPaymentPending) => {
    if (isInitUsed) return;
    isInitUsed = true;
    openHostLink(allowed_origins, { inbox: unknown.inbox, host, orders, connected, now });
    // If the session is over, there is no form to be ready.
    if (status !== "open") return;
    page.words.write("frame", ({ title, savingTitle }) =>
      host.emit("title", { title: mode === "setup" ? savingTitle : title }),
    );
    const expiresAt = new Date(expires_at * 1000).toISOString();
    host.emit("ready", { sessionId: id, livemode, expiresAt, isPaymentPending });
  });
  flow.onRefused(() => {
    if (!isInitUsed) reportFailure("session_invalid", unknown);
    isInitUsed = true;
  });
}

/** Loaded on demand, because most pages never need it. */
export function reportFailure(code: FrameErrorCode, unknown: UnknownHost): void {
  import("./on-demand.ts").then(
    ({ reportFailureToHost }) =>
      reportFailureToHost(code, {
        ...unknown,
        openConnection: (port, connected) => openConnection(port, noVerbs, connected),
      }),
    () => {}, // the host page finds out by asking why this iframe is silent
  );
}
