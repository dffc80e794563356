/**
 * One customer's visit to a shop's page: waits until the form is usable and reports ready, and then types a card
 * number.
 *
 * Every process of the page is throttled before its first script runs. When an iframe is removed, the browser
 * unthrottles its whole process, so throttling is set again.
 */
import { setTimeout as pause } from "node:timers/promises";
import { percentile } from "../measurement.ts";
import type { Browser, Target, TargetEvent } from "./browser.ts";
import { binding, keyDelays, longTasks, probeSource, watchKeysSource, type Report } from "./probe.ts";
import type { Profile } from "./profiles.ts";

export interface Site {
  /** URL of the shop's page. */
  url: string;
  /** Prefix of the URL of the form's iframe. */
  frameUrl: string;
}

/** In milliseconds, except for the last three. */
export interface Visit {
  /**
   * From the `mount` call until the field is focusable, has key listeners and is in a visible iframe, whichever is
   * last.
   */
  usable: number;
  /** Earlier steps, each from the `mount` call. */
  steps: Record<(typeof steps)[number], number>;
  /** From the `mount` call until the page receives `ready`. */
  ready: number;
  /** From the start of the navigation until the `mount` call. */
  mounted: number;
  /** Of the shop's page: the time that its main thread worked, and its long tasks without the first 50 ms of each. */
  shopWorked: number;
  shopBlocked: number;
  /** From a key press until its result is painted. The median of sixteen. */
  keyToPaint: number;
  /** Of the shop's page: tasks of more than 50 ms. */
  longTasks: number;
  requests: number;
  /** Bytes of headers and bodies as sent. */
  wireBytes: number;
}

export const steps = ["requested", "received", "focusable", "attached", "shown"] as const;

const field = "#number";
const typed = "4242424242424242";
const readyWithinMs = 60_000;
/** Time for late requests to finish and for the layout to settle. */
const settleMs = 1_000;
const betweenKeysMs = 40;
const drawnWithinMs = 500;
/** The browser sometimes drops a click on an iframe that it has just drawn. */
const maxClicks = 4;
/** What a task may take without counting as long (https://w3c.github.io/longtasks). */
const longTaskMs = 50;

/** @throws Error if the form isn't usable in time or doesn't accept the number */
export async function visit(browser: Browser, contextId: string, site: Site, profile: Profile): Promise<Visit> {
  const traffic = new Map<string, number>();
  const frames = new Map<string, { target: Target; targetId: string }>();
  const reports = collectReports();
  const problems: string[] = [];
  const unlisten = browser.listen((event) => {
    handle(event).catch((error: unknown) => problems.push(String(error)));
  });
  const { targetId } = await browser.send("Target.createTarget", { url: "about:blank", browserContextId: contextId });
  try {
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
    const page = await prepare(sessionId, targetId);
    await page.send("Page.navigate", { url: site.url });
    const { navigated, mounted, usable, shown, ready } = await reports.all().catch((error: unknown) => {
      throw new Error(`${site.url}: ${String(error)} ${problems.join("; ")}`);
    });
    await pause(settleMs);
    const long = await read<number[]>(page, longTasks);
    const shopWorked = await workedIn(page);
    const [frame] = [...frames.values()].filter(({ targetId: id }) => id !== targetId);
    if (frame === undefined) throw new Error(`The form of ${site.url} isn't in its own process.`);
    const keyToPaint = await typeNumber(page, frame.target, site.frameUrl);
    if (problems.length > 0) throw new Error(`${site.url}: ${problems.join("; ")}`);
    return {
      usable: Math.max(usable.focusable, usable.attached, shown) - mounted,
      steps: {
        requested: usable.requested - mounted,
        received: usable.received - mounted,
        focusable: usable.focusable - mounted,
        attached: usable.attached - mounted,
        shown: shown - mounted,
      },
      ready: ready - mounted,
      mounted: mounted - navigated,
      shopWorked,
      shopBlocked: long.reduce((sum, ms) => sum + ms - longTaskMs, 0),
      longTasks: long.length,
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
      target.send("Performance.enable", { timeDomain: "threadTicks" }),
      target.send("Runtime.addBinding", { name: binding }),
      target.send("Page.addScriptToEvaluateOnNewDocument", { source, runImmediately: true }),
      slowDown(target, profile),
      target.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
      target.send("Runtime.runIfWaitingForDebugger"),
    ]);
    return target;
  }

  async function handle(event: TargetEvent): Promise<void> {
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
        // Reports come from the probe and the shop's page.
        if (event.params.name === binding) reports.add(JSON.parse(event.params.payload) as Report);
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

  /** Without compression, the comparison would be meaningless. */
  function refuseUncompressed({ url, headers }: { url: string; headers: Record<string, string> }): void {
    const header = (name: string) => Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? "";
    if (/^text\/(html|javascript)/.test(header("content-type")) && header("content-encoding") !== "br") {
      problems.push(`${url} was sent without Brotli compression`);
    }
  }
}

async function slowDown(target: Target, { cpuSlowdown }: Profile): Promise<void> {
  if (cpuSlowdown > 1) await target.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
}

/** How long the page's main thread has worked since the navigation, in milliseconds. */
async function workedIn(page: Target): Promise<number> {
  const { metrics } = await page.send("Performance.getMetrics");
  const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value;
  if (seconds === undefined) throw new Error("The browser doesn't say how long the page's tasks took.");
  return seconds * 1000;
}

/** The form, its iframe and the page report separately and in any order. */
function collectReports() {
  const reports: {
    navigated?: number;
    mounted?: number;
    ready?: number;
    shown?: number;
    usable?: Extract<Report, { what: "usable" }>;
  } = {};
  const { promise, resolve, reject } = Promise.withResolvers<Required<typeof reports>>();
  promise.catch(() => {}); // prevents an unhandled rejection if nothing awaits it yet
  const timer = setTimeout(
    () => reject(new Error(`Not usable within ${readyWithinMs} ms; reports: ${JSON.stringify(reports)}.`)),
    readyWithinMs,
  );
  return {
    add(report: Report): void {
      if (report.what === "usable") reports.usable ??= report;
      else reports[report.what] ??= report.at;
      const { navigated, mounted, ready, shown, usable } = reports;
      if (navigated === undefined || mounted === undefined || ready === undefined) return;
      if (shown !== undefined && usable !== undefined) resolve({ navigated, mounted, ready, shown, usable });
    },
    all: () => promise,
    end: () => clearTimeout(timer),
  };
}

/** Uses real clicks and key presses, which pass through all of the browser's processes. */
async function typeNumber(page: Target, frame: Target, frameUrl: string): Promise<number> {
  const framePlace = await read<Place>(page, `(${placeOf.toString()})('iframe[src^="${frameUrl}"]')`);
  const fieldPlace = await read<Place>(frame, `(${placeOf.toString()})("${field}")`);
  await read(frame, watchKeysSource(field));
  const x = framePlace.x + fieldPlace.x + fieldPlace.width / 2;
  const y = framePlace.y + fieldPlace.y + fieldPlace.height / 2;
  const isFocused = () => read<boolean>(frame, `document.activeElement?.matches("${field}") === true`);
  for (let clicks = 0; clicks < maxClicks && !(await isFocused()); clicks++) {
    for (const type of ["mousePressed", "mouseReleased"] as const) {
      await page.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    }
    await pause(drawnWithinMs);
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
    throw new Error(`The form of ${frameUrl} turned the number into ${JSON.stringify(value)}.`);
  if (delays.length !== typed.length)
    throw new Error(`Only ${delays.length} of ${typed.length} keys were drawn in ${frameUrl}.`);
  return percentile(delays, 0.5);
}

type Place = Pick<DOMRect, "x" | "y" | "width" | "height">;

/** Runs in the page. */
function placeOf(selector: string): Place | undefined {
  // A DOMRect as JSON contains these numbers.
  return document.querySelector(selector)?.getBoundingClientRect().toJSON() as Place | undefined;
}

async function read<T>(target: Target, expression: string): Promise<T> {
  const { result, exceptionDetails } = await target.send("Runtime.evaluate", {
    expression,
    returnByValue: true,
    awaitPromise: true,
  });
  if (exceptionDetails !== undefined) throw new Error(`${exceptionDetails.text}: ${expression.slice(0, 80)}`);
  return result.value as T; // the value of the expression
}
