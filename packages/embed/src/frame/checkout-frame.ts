/**
 * One living frame in one container: what it shows, the line to it, and who hears it.
 *
 * A container holds at most one frame. Opening the same session in it again adopts the frame that is there, and a frame
 * that nobody holds any more goes away one task later: so React's StrictMode, which mounts, unmounts and mounts again,
 * costs nothing, and a card that was half typed survives it. The iframe is never moved in the document, for that would
 * reload it; where somebody else takes its container out and puts it back, the frame comes back as a new load: empty,
 * and `ready` again.
 *
 * It trusts what arrives on the line, which only the frame's origin can hold, and still copies out nothing but the
 * documented fields.
 *
 * ```
 * loading -> ready <-> submitting <-> challenge -> complete        (decline: back to ready; a reload of the frame: back to loading)
 *    any of them -> error | expired -> loading (another session took its place)
 * ```
 */
import { type FrameSettings, readFrameEvent } from "@oriel/protocol/windows";
import { CheckoutError, type CheckoutErrorCode } from "../checkout/checkout-error.ts";
import { type AnyCheckoutEvent, type FrameState, stateAfter } from "../checkout/checkout-events.ts";
import { watchPolicy } from "./diagnose.ts";
import type { EmbedUrl } from "../checkout/embed-url.ts";
import { type BoxSettings, createFrameBox } from "./frame-box.ts";
import { type FrameLine, handOver } from "./hand-over.ts";
import { hasFocus } from "../host-document.ts";
import { watchSilence } from "./silence.ts";
import { watchRoom } from "./watch-room.ts";

/**
 * Whoever mounted the frame. There may be several, when one session was mounted twice into one container; the last
 * decides.
 */
export interface FrameHolder {
  onEvent(event: AnyCheckoutEvent): void;
  /** Another session took the container. */
  onEvicted(): void;
  /** It can get another session when time runs out. */
  canRenew(): boolean;
  /** Time ran out. A holder that can get another session shows it with `renew`. */
  onExpired(): void;
  /** The bank's challenge goes on in the full page. */
  onLeave(): void;
  /** The frame cannot run: whether a link to the full page stands in its place. */
  onFailed(code: CheckoutErrorCode): boolean;
  /** What the frame is told, as this page is now. */
  settings(): FrameSettings;
  /** For the timeline. */
  note(what: string): void;
}

export interface OpenFrame extends Omit<BoxSettings, "origin"> {
  url: EmbedUrl;
  timeoutMs: number;
  diagnosticId: string;
}

export interface CheckoutFrame {
  readonly state: FrameState;
  /** Pay was pressed and the frame has not said how that ended. */
  readonly mayHavePaid: boolean;
  /** The version that loader and frame speak; null while that is not known. */
  readonly protocol: number | null;
  /** Whether this is a living frame of `href`, still standing in `container`. */
  shows(href: string, container: Element): boolean;
  join(holder: FrameHolder): void;
  leave(holder: FrameHolder): void;
  /** Gives way to another session. */
  evict(): void;
  ask: FrameLine["ask"];
  /** Tells the frame how this page wants it. @returns the paths that it refused; null when it is not connected. */
  tellSettings(): Promise<string[] | null>;
  /**
   * Another session of the same service takes this one's place, in the same iframe. What was typed stays with the old
   * one.
   *
   * @returns false when it cannot: it is the same session, or of another service.
   */
  renew(url: EmbedUrl): boolean;
  setTitle(title: string): void;
}

const frames = /* @__PURE__ */ new WeakMap<Element, CheckoutFrame>();

/**
 * Opens the session's frame in the container, or adopts the one that is there. A frame of another session gives way.
 */
export function openFrame(container: Element, options: OpenFrame, holder: FrameHolder): CheckoutFrame {
  let frame = frames.get(container);
  if (!frame?.shows(options.url.href, container)) {
    frame?.evict();
    frame = createFrame(container, options);
    frames.set(container, frame);
  }
  frame.join(holder);
  return frame;
}

function createFrame(container: Element, options: OpenFrame): CheckoutFrame {
  let { url } = options;
  const { origin } = url;
  const holders = new Set<FrameHolder>();
  const box = createFrameBox({ ...options, origin });
  const element = box.frame;
  let state: FrameState = "loading";
  let line: FrameLine | null = null;
  let protocol: number | null = null;
  let ready: AnyCheckoutEvent | null = null;
  let completed: string | null = null;
  /** Another session took the first one's place, and its form has not been seen yet. */
  let isRenewed = false;
  /** The load to come is one that the loader asked for. */
  let isSent = false;
  /** Pay was pressed and the frame has not said how that ended. A reload of the frame does not change it. */
  let mayHavePaid = false;
  let isGone = false;

  const decider = () => [...holders].at(-1);
  const tell = (event: AnyCheckoutEvent) => {
    for (const holder of Array.from(holders)) holder.onEvent(event);
  };
  const note = (what: string) => {
    for (const holder of holders) holder.note(what);
  };
  const error = (code: CheckoutErrorCode): AnyCheckoutEvent => ({
    type: "error",
    detail: new CheckoutError(code, origin, options.diagnosticId, mayHavePaid),
  });
  const ask: FrameLine["ask"] = (verb, argument) => line?.ask(verb, argument) ?? Promise.resolve(null);
  let telling: Promise<string[] | null> | null = null;
  /** At most ten times a second, and always the latest: the frame refuses more. */
  const tellSettings = () =>
    (telling ??= new Promise((resolve) => setTimeout(resolve, 100)).then(() => {
      telling = null;
      return ask("update", decider()?.settings());
    }));

  // --- the frame loads
  // -------------------------------------------------------------------------------------------------------------

  const address = (query: string) => (query ? url.href.replace("#", `?${query}#`) : url.href);
  const coep = (isAsked: boolean) => (isAsked ? "coep=1" : "");
  /** Goes to the session's page without an entry in the history. What stands there has no more to say. */
  const show = (query = coep(window.crossOriginIsolated)) => {
    note("reload");
    hangUp();
    const frameWindow = element.contentWindow; // none while the container is out of the document
    isSent = !!frameWindow;
    frameWindow?.location.replace(address(query));
  };
  const begin = () => {
    state = "loading";
    ready = null;
    silence.start();
  };
  const hangUp = () => {
    line?.close();
    line = null;
  };
  const onLoad = () => {
    hangUp();
    room.forget();
    box.shrink();
    const frameWindow = element.contentWindow;
    if (!frameWindow || isGone) return;
    if (state !== "loading" && state !== "complete") begin();
    // A frame that was taken out of the document and put back loads the session it began with.
    if (!isSent && url !== options.url) return show();
    isSent = false;
    note("load");
    silence.loaded();
    line = handOver(frameWindow, origin, {
      here(receipt) {
        note("here");
        silence.alive();
        ({ protocol } = receipt);
        if (protocol === null) fail("protocol_mismatch", true);
      },
      async connected() {
        room.look();
        const refused = await ask("update", decider()?.settings());
        if (refused?.length) console.warn(`Oriel: refused ${refused.join(", ")}.`);
      },
      event: onFrameEvent,
    });
  };

  // --- the frame speaks
  // ------------------------------------------------------------------------------------------------------------

  const onFrameEvent = (name: unknown, detail: unknown): void => {
    const event = readFrameEvent(name, detail);
    if (!event || isGone) return;
    note(event.name);
    if (event.name === "error" && event.detail.code === "sandboxed") return fail(event.detail.code, true);
    // Over before its form was seen, because it had been away: no form is coming, unless another session can be had.
    // That is tried once.
    if (event.name === "expire" && !ready && (isRenewed || !decider()?.canRenew())) {
      return onFrameEvent("error", { code: "session_expired" });
    }
    state = stateAfter[event.name] ?? state;
    if (/submitting|challenge|complete/.test(state)) mayHavePaid = true;
    if (/^(ready|decline|expire)$/.test(event.name)) mayHavePaid = false;
    if (/^(ready|complete|error|expire)$/.test(event.name)) {
      silence.stop();
      box.showForm();
    }
    const { name: type } = event;
    if (type === "grow") return box.grow();
    if (type === "shrink") return box.shrink();
    if (type === "leave") return decider()?.onLeave();
    if (type === "why") return;
    if (type === "error") return tell(error(event.detail.code));
    if (type === "resize") {
      box.setHeight(event.detail.height);
      return tell({ type, detail: { ...event.detail, width: element.clientWidth } });
    }
    if (type === "ready") {
      isRenewed = false;
      ready = { type, detail: { ...event.detail, protocol: String(protocol) } };
      // Late enough for a page that shows the frame when it hears this.
      setTimeout(() => state !== "ready" || !box.isHidden() || fail("frame_hidden", true), 2_000);
      return tell(ready);
    }
    if (type === "complete") {
      // A reload of a frame that is done tells it again; the merchant's code hears each status once.
      if (completed === event.detail.status) return;
      completed = event.detail.status;
    }
    tell({ type, detail: event.detail } as AnyCheckoutEvent); // the same name and the same fields
    if (type === "expire") decider()?.onExpired();
  };

  // --- the end
  // ---------------------------------------------------------------------------------------------------------------------

  /** @param mayLive somebody may be typing in there: it is left standing */
  function fail(code: CheckoutErrorCode, mayLive = false): void {
    if (isGone || state === "error") return;
    silence.stop();
    state = "error";
    note(code);
    if (!mayLive && !hasFocus(element)) {
      hangUp();
      box.takeFrameAway();
    }
    if (decider()?.onFailed(code)) box.showLink(url.href);
    else if (!element.isConnected) box.element.remove();
    tell(error(code));
  }

  function remove(): void {
    if (isGone) return;
    isGone = true;
    frames.delete(container);
    silence.stop();
    room.stop();
    stopPolicyWatch();
    void ask("destroy");
    hangUp();
    box.takeFrameAway();
    box.element.remove();
  }

  const stopPolicyWatch = watchPolicy(origin, () => state === "loading" && fail("csp_blocked"));
  const room = watchRoom(container, (size) => {
    // Taken out of the page while it stood over it: the page is the customer's again.
    if (!element.isConnected) box.shrink();
    return ask("room", size);
  });
  const silence = watchSilence({
    ...options,
    box,
    url: () => url,
    // A page under COEP without isolation looks like any other: the second time the frame is asked for with COEP.
    // And by another address than before, for the same one would be a jump to its fragment, which loads nothing.
    reload: () => show(`${coep(canFrameBanks())}&again=1`),
    fail,
  });

  const frame: CheckoutFrame = {
    get state() {
      return state;
    },
    get mayHavePaid() {
      return mayHavePaid;
    },
    get protocol() {
      return protocol;
    },
    shows: (href, place) => state !== "error" && url.href === href && box.element.parentNode === place,
    join(holder) {
      holders.add(holder);
      if (!element.name) start(holder.settings());
      queueMicrotask(() => {
        if (!holders.has(holder)) return;
        holder.onEvent({ type: "loadstart", detail: {} });
        if (ready) holder.onEvent(ready);
      });
    },
    leave(holder) {
      holders.delete(holder);
      setTimeout(() => {
        if (holders.size === 0) remove();
      }, 0);
    },
    evict() {
      remove();
      for (const holder of holders) holder.onEvicted();
    },
    ask,
    tellSettings,
    renew(renewed) {
      if (state !== "expired" || renewed.origin !== origin || renewed.sessionId === url.sessionId) return false;
      url = renewed;
      completed = null;
      isRenewed = true;
      begin();
      show();
      return true;
    },
    setTitle(title) {
      element.title = title;
    },
  };

  function start({ locale, appearance }: FrameSettings): void {
    element.name = JSON.stringify({ locale, appearance });
    element.addEventListener("load", onLoad);
    const reason =
      // A sandbox without an origin, which frames inherit: nobody could hear ours. A page from a file has none either,
      // and its frames have.
      window.origin === "null" && location.protocol !== "file:"
        ? "sandboxed"
        : // In an isolated page such a browser could not show the bank's: before anything is typed, the full page is the way.
          window.crossOriginIsolated && !canFrameBanks() && "unsupported_browser";
    if (reason) queueMicrotask(() => fail(reason));
    else element.src = address(coep(window.crossOriginIsolated));
    container.append(box.element);
    silence.start();
  }
  return frame;
}

/** Whether frames inside a frame under COEP can hold a bank's page, which sends no COEP itself. */
function canFrameBanks(): boolean {
  return "credentialless" in HTMLIFrameElement.prototype;
}
