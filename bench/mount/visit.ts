/**
 * One visit of a shop's page by a customer: until the form can be used, until it says that it is ready, and then the
 * typing of a card number.
 *
 * Every process of the page is slowed down before its first script runs. When a frame goes, the browser takes the
 * slowness from its whole process, so it is asked for again.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Browser, Target, TargetEvent } from "./browser.ts";
import { percentile } from "../measurement.ts";
import { binding, keyDelays, probeSource, watchKeysSource, type Report } from "./probe.ts";
import type { Profile } from "./profiles.ts";

export interface Site {
  /** The shop's page. */
  url: string;
  /** How the address of the form's frame begins. */
  frameUrl: string;
}

/** Milliseconds, but for the last two. */
export interface Visit {
  /**
   * From the call of `mount`: the field takes the focus, its keys are listened to, and its frame is shown. The last of
   * the three.
   */
  usable: number;
  /** What came before that, each from the call of `mount`. */
  steps: Record<(typeof steps)[number], number>;
  /** From the call of `mount` until the page is told that it can be used. */
  ready: number;
  /** From a key until the frame that shows what came of it; the median of sixteen. */
  keyToPaint: number;
  requests: number;
  /** Bytes of headers and bodies, as they were sent. */
  wireBytes: number;
}

export const steps = ["asked", "answered", "focusable", "attached", "shown"] as const;

const field = "#number";
const typed = "4242424242424242";
const readyWithinMs = 60_000;
/** What is fetched after `ready` has come by then, and nothing moves any more. */
const settleMs = 1_000;
const betweenKeysMs = 40;
const drawnWithinMs = 500;

/** @throws Error where the form is not usable in time, or does not take the number */
export async function visit(browser: Browser, contextId: string, site: Site, profile: Profile): Promise<Visit> {
  const traffic = new Map<string, number>();
  const frames = new Map<string, { target: Target; targetId: string }>();
  const reports = collectReports();
  const problems: string[] = [];
  const unlisten = browser.listen((event) => {
    hear(event).catch((error: unknown) => problems.push(String(error)));
  });
  const { targetId } = await browser.send("Target.createTarget", { url: "about:blank", browserContextId: contextId });
  try {
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
    const page = await prepare(sessionId, targetId);
    await page.send("Page.navigate", { url: site.url });
    const { mounted, usable, shown, ready } = await reports.all().catch((error: unknown) => {
      throw new Error(`${site.url}: ${String(error)} ${problems.join("; ")}`);
    });
    await pause(settleMs);
    const [frame] = [...frames.values()].filter(({ targetId: id }) => id !== targetId);
    if (frame === undefined) throw new Error(`The form of ${site.url} is not in a process of its own.`);
    const keyToPaint = await typeNumber(page, frame.target, site.frameUrl);
    if (problems.length > 0) throw new Error(`${site.url}: ${problems.join("; ")}`);
    return {
      usable: Math.max(usable.focusable, usable.attached, shown) - mounted,
      steps: {
        asked: usable.asked - mounted,
        answered: usable.answered - mounted,
        focusable: usable.focusable - mounted,
        attached: usable.attached - mounted,
        shown: shown - mounted,
      },
      ready: ready - mounted,
      keyToPaint,
      requests: traffic.size,
      wireBytes: [...traffic.values()].reduce((sum, bytes) => sum + bytes, 0),
    };
  } finally {
    unlisten();
    reports.end();
    await browser.send("Target.closeTarget", { targetId });
  }

  async function prepare(sessionId: string, id: string): Promise<Target> {
    const target = browser.target(sessionId);
    frames.set(sessionId, { target, targetId: id });
    const source = probeSource({ binding, field, frameUrl: site.frameUrl });
    await Promise.all([
      target.send("Network.enable"),
      target.send("Runtime.enable"),
      target.send("Page.enable"),
      target.send("Runtime.addBinding", { name: binding }),
      target.send("Page.addScriptToEvaluateOnNewDocument", { source, runImmediately: true }),
      slowDown(target, profile),
      target.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
      target.send("Runtime.runIfWaitingForDebugger"),
    ]);
    return target;
  }

  async function hear(event: TargetEvent): Promise<void> {
    if (!frames.has(event.sessionId ?? "")) return;
    switch (event.method) {
      case "Target.attachedToTarget":
        if (event.params.targetInfo.type === "iframe")
          await prepare(event.params.sessionId, event.params.targetInfo.targetId);
        return;
      case "Target.detachedFromTarget":
        frames.delete(event.params.sessionId);
        await Promise.all([...frames.values()].map(({ target }) => slowDown(target, profile)));
        return;
      case "Runtime.bindingCalled":
        if (event.params.name === binding) reports.add(JSON.parse(event.params.payload) as Report); // the probe's, or the shop's page's
        return;
      case "Runtime.exceptionThrown": {
        const { text, exception } = event.params.exceptionDetails;
        problems.push(exception?.description ?? text);
        return;
      }
      case "Network.requestWillBeSent":
        if (event.params.request.url.startsWith("http")) traffic.set(event.params.requestId, 0);
        return;
      case "Network.responseReceived":
        refuseUncompressed(event.params.response);
        return;
      case "Network.loadingFinished": {
        const { requestId, encodedDataLength } = event.params;
        if (traffic.has(requestId)) traffic.set(requestId, encodedDataLength);
        return;
      }
    }
  }

  /** Figures of pages that are sent at their full length would say nothing of ours. */
  function refuseUncompressed({ url, headers }: { url: string; headers: Record<string, string> }): void {
    const header = (name: string) => Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? "";
    if (/^text\/(html|javascript)/.test(header("content-type")) && header("content-encoding") !== "br") {
      problems.push(`${url} came without brotli`);
    }
  }
}

async function slowDown(target: Target, { cpuSlowdown, network }: Profile): Promise<void> {
  if (cpuSlowdown > 1) await target.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
  if (network !== null) await target.send("Network.emulateNetworkConditions", { offline: false, ...network });
}

/** The form and its frame and the page each tell their part, in any order. */
function collectReports() {
  const told: { mounted?: number; ready?: number; shown?: number; usable?: Extract<Report, { what: "usable" }> } = {};
  const { promise, resolve, reject } = Promise.withResolvers<Required<typeof told>>();
  promise.catch(() => {}); // nobody may be waiting yet
  const timer = setTimeout(
    () => reject(new Error(`Not usable within ${readyWithinMs} ms; heard of ${JSON.stringify(told)}.`)),
    readyWithinMs,
  );
  return {
    add(report: Report): void {
      if (report.what === "usable") told.usable ??= report;
      else told[report.what] ??= report.at;
      const { mounted, ready, shown, usable } = told;
      if (mounted === undefined || ready === undefined || shown === undefined || usable === undefined) return;
      resolve({ mounted, ready, shown, usable });
    },
    all: () => promise,
    end: () => clearTimeout(timer),
  };
}

/** With a real click and real keys, so that the browser takes each through all its processes. */
async function typeNumber(page: Target, frame: Target, frameUrl: string): Promise<number> {
  const framePlace = await read<Place>(page, `(${placeOf.toString()})('iframe[src^="${frameUrl}"]')`);
  const fieldPlace = await read<Place>(frame, `(${placeOf.toString()})("${field}")`);
  await read(frame, watchKeysSource(field));
  const x = framePlace.x + fieldPlace.x + fieldPlace.width / 2;
  const y = framePlace.y + fieldPlace.y + fieldPlace.height / 2;
  for (const type of ["mousePressed", "mouseReleased"] as const) {
    await page.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
  }
  for (const key of typed) {
    const press = { key, code: `Digit${key}`, windowsVirtualKeyCode: key.charCodeAt(0) };
    await page.send("Input.dispatchKeyEvent", { type: "keyDown", text: key, ...press });
    await page.send("Input.dispatchKeyEvent", { type: "keyUp", ...press });
    await pause(betweenKeysMs);
  }
  await pause(drawnWithinMs);
  const delays = await read<number[]>(frame, keyDelays);
  const value = await read<string>(frame, `document.querySelector("${field}").value`);
  if (value.replaceAll(/\D/g, "") !== typed)
    throw new Error(`The form of ${frameUrl} made ${JSON.stringify(value)} of the number.`);
  if (delays.length !== typed.length)
    throw new Error(`Of ${typed.length} keys only ${delays.length} were drawn in ${frameUrl}.`);
  return percentile(delays, 0.5);
}

type Place = Pick<DOMRect, "x" | "y" | "width" | "height">;

/** Runs in the page. */
function placeOf(selector: string): Place | undefined {
  return document.querySelector(selector)?.getBoundingClientRect().toJSON() as Place | undefined; // a rectangle's JSON is its numbers
}

async function read<T>(target: Target, expression: string): Promise<T> {
  const { result, exceptionDetails } = await target.send("Runtime.evaluate", {
    expression,
    returnByValue: true,
    awaitPromise: true,
  });
  if (exceptionDetails !== undefined) throw new Error(`${exceptionDetails.text}: ${expression.slice(0, 80)}`);
  return result.value as T; // what the expression says
}
