/**
 * The later code: everything that Pay needs until it's pressed. `prepare-page.ts` requests it, and `checkout.ts` starts it once.
 *
 * It connects the parts and owns the page's timers. Each part's file describes what it trusts.
 */
import { bindCardFields } from "../form/card-fields.ts";
import { createDisabledForm } from "../form/disabled-form.ts";
import { createFormSettings } from "../form/form-settings.ts";
import { watchForm } from "../form/watch-form.ts";
import { wipeWhenIdle } from "../form/wipe-when-idle.ts";
import { followHeight } from "../host/follow-height.ts";
import { createFrameLog } from "../host/frame-log.ts";
import { createHostPage } from "../host/host-page.ts";
import { dropUnreadableColors } from "../page/drop-unreadable-colors.ts";
import { findObstacle } from "../page/find-obstacle.ts";
import { finishPage } from "../page/finish-page.ts";
import type { FirstPage } from "../page/page.ts";
import { createScreen } from "../page/screen.ts";
import { createFrameApi } from "../service/frame-api.ts";
import { frameCallBy, openSession, readReply } from "../service/frame-call.ts";
import type { Reply, Send } from "../service/send-request.ts";
import { createWakeableWait } from "../service/wakeable-wait.ts";
import type { TextFile } from "../texts/texts.ts";
import { isGrown } from "../threeds/bank-overlay.ts";
import { assembleFlow } from "./assemble-flow.ts";
import { connectHost, reportFailure } from "./connect-host.ts";
import type { UnknownHost } from "./connect-host.ts";
import { followSession } from "./follow-session.ts";
import { bindPress } from "./guarded-press.ts";

/**
 * The loader contacts the iframe as soon as the page has loaded. After this long without a message, the customer is
 * told that the page can't be used. It's the loader's own default timeout, because a host page can be busy for seconds.
 */
const loaderPatienceMs = 15_000;

/** Browsers fetch and run the module only once. */
const loadOnDemand = () => import("./on-demand.ts");

/** The device's clock, for measuring durations. It is needed before the service's time is known. */
const deviceNow = () => Date.now();

export interface FirstScript extends Omit<UnknownHost, "call"> {
  page: FirstPage;
  /** In the page's own language. */
  texts: TextFile;
  /** The session's client secret; empty if the page was opened without one. */
  secret: string;
  /** The request that opens the session, in progress since the page began to load. */
  opening: Promise<Reply | null>;
  send: Send;
  window: Window & typeof globalThis;
}

export function startPaying(first: FirstScript): void {
  const { window, inbox, sessionId } = first;
  const call = frameCallBy(first.send);
  const unknownHost = { inbox, sessionId, call };
  const opening = first.opening.then(readReply);
  const obstacle = findObstacle(window);
  if (obstacle) {
    first.page.form.reset();
    reportFailure(obstacle === "sandboxed" ? obstacle : "unsupported_browser", unknownHost);
    return first.page.showEarlyResult(obstacle);
  }
  const page = finishPage(first.page, first.texts);
  const log = createFrameLog(deviceNow);
  const host = createHostPage(log);
  const api = createFrameApi(
    call,
    (lost) => openSession(call, sessionId, first.secret, lost),
    window.history,
    deviceNow,
  );
  const wait = createWakeableWait();
  const fields = bindCardFields(page, loadOnDemand);
  const settings = createFormSettings(page, dropUnreadableColors, loadOnDemand);
  const form = watchForm(page, fields.network, api.now, host.emit);
  const disabled = createDisabledForm(createScreen(page, fields, window), page, fields);
  const { screen } = disabled;
  const isFormShown = () => page.main.dataset["view"] === "form";
  const measure = followHeight(
    page.main,
    // Without a connection, `press` may not exist yet.
    () => !host.isLinked || isGrown(page.document) || press.isHolding(),
    () => isFormShown() && page.document.activeElement instanceof HTMLInputElement,
    (height) => host.emit("resize", { height }),
    api.now,
  );
  const parts = { page, window, log, host, api, deviceNow, wait, fields, settings, form, screen, measure };

  const flow = assembleFlow(parts);
  const press = bindPress({ ...parts, isHeld: disabled.isHeld, flow });
  const isIdle = () => !flow.isBusy() && isFormShown();
  settings.onChange(() => {
    disabled.set(settings.isDisabled(), isIdle());
    form.refresh();
  });
  flow.onOpened(screen.introduce);
  flow.onOpened(settings.introduce);
  connectHost(unknownHost, { ...parts, flow, press });
  // After `connectHost`, because the host page must receive `ready` before any warning that the session is about to
  // expire.
  followSession({ ...parts, flow, hold: (isHeld) => disabled.hold(isHeld, isIdle()) });

  wipeWhenIdle(page, deviceNow, () => {
    // The card was sent long ago, so the fields are locked and nothing needs their content.
    if (flow.isBusy()) return fields.wipe();
    const hadCard = page.number.value !== "" || page.cvc.value !== "";
    form.clear();
    fields.wipe();
    if (hadCard && isFormShown()) screen.notice("wiped");
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) void flow.refresh();
  });
  window.addEventListener("online", () => void flow.online());
  // A loader always sets a theme and then contacts the iframe. A copy of its iframe, as in a cached page, has no
  // loader, so nobody would learn of a payment.
  if (page.settings.appearance?.theme) {
    const timer = setTimeout(() => screen.result("invalid"), loaderPatienceMs);
    void inbox.then(() => clearTimeout(timer));
    void flow.begin(inbox.then(() => opening));
  } else void flow.begin(opening);
}
