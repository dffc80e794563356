/**
 * What an embedded form costs the shop's page, on a processor that is four times slower: bytes of its scripts, the work
 * of the page's main thread, and long tasks. Pages are visited in turn. The bare form's loader is the floor.
 */
import { setTimeout as pause } from "node:timers/promises";
import { percentile, rounded, type Measurement } from "../measurement.ts";
import { openBrowser, type Browser, type Target } from "./browser.ts";
import type { DemoService } from "./demo-service.ts";
import { buildPeers } from "./peers.ts";
import { binding } from "./probe.ts";
import type { Sites } from "./sites.ts";

interface Cost {
  /** Bytes of the page's scripts as sent. */
  scriptBytes: number;
  /** Milliseconds that the page's main thread worked. */
  worked: number;
  /** The longest task in milliseconds, or 0 if none took more than 50 ms. */
  longest: number;
  /** The long tasks' time without the first 50 ms of each, in milliseconds. */
  blocked: number;
}

const cpuSlowdown = 4;
const longTaskMs = 50;
/** Everything in these pages ends sooner. */
const settleMs = 3_000;

export async function measureShopPages(service: DemoService, sites: Sites, runs: number): Promise<Measurement[]> {
  const peers = await buildPeers();
  const mountPeer = 'Peer.mount("#checkout");';
  const pages: Record<string, () => Promise<string> | string> = {
    bare: () => sites.serveShop(`${sites.bareOrigin}/bare.js`, 'Bare.mount("#checkout", "/form", () => {});', null),
    oriel: async () => {
      const embedUrl = JSON.stringify(await service.openSession(sites.shopOrigin));
      const mount = `Oriel.mountCheckout("#checkout", { embedUrl: ${embedUrl} });`;
      return sites.serveShop(`${service.checkoutOrigin}/embed/v1/oriel.js`, mount, null);
    },
  };
  for (const { name, script } of peers) {
    const url = sites.serveScript(script);
    pages[name] = () => sites.serveShop(url, mountPeer, null);
  }
  const costs = new Map<string, Cost[]>(Object.keys(pages).map((name) => [name, []]));
  const browser = await openBrowser(null);
  try {
    for (let run = 0; run <= runs; run++) {
      console.log(`Measuring the shop's page: ${run === 0 ? "warming up" : `${run} of ${runs}`}`);
      for (const [name, open] of Object.entries(pages)) {
        const cost = await costOf(browser, await open());
        if (run > 0) costs.get(name)?.push(cost);
      }
    }
  } finally {
    await browser.close();
  }
  const median = (name: string, of: (cost: Cost) => number) =>
    rounded(percentile((costs.get(name) ?? []).map(of), 0.5));
  return [...costs.keys()]
    .filter((name) => name !== "bare")
    .flatMap((name) => {
      const compared = (what: string, unit: Measurement["unit"], of: (cost: Cost) => number): Measurement => ({
        what: `shop's page, 4x CPU, ${name}: ${what}`,
        unit,
        value: median(name, of),
        floor: median("bare", of),
      });
      return [
        compared("scripts", "bytes", (cost) => cost.scriptBytes),
        compared("main thread", "ms", (cost) => cost.worked),
        compared("longest task over 50 ms", "ms", (cost) => cost.longest),
        compared("main thread blocked", "ms", (cost) => cost.blocked),
      ];
    });
}

async function costOf(browser: Browser, url: string): Promise<Cost> {
  const { browserContextId } = await browser.send("Target.createBrowserContext");
  const { targetId } = await browser.send("Target.createTarget", { url: "about:blank", browserContextId });
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
  const page = browser.target(sessionId);
  const scripts = new Map<string, number>();
  const unlisten = browser.listen((event) => {
    if (event.sessionId !== sessionId) return;
    if (event.method === "Network.requestWillBeSent" && event.params.type === "Script")
      scripts.set(event.params.requestId, 0);
    if (event.method === "Network.loadingFinished" && scripts.has(event.params.requestId))
      scripts.set(event.params.requestId, event.params.encodedDataLength);
  });
  try {
    await Promise.all([
      page.send("Network.enable"),
      page.send("Page.enable"),
      page.send("Performance.enable", { timeDomain: "threadTicks" }),
      page.send("Runtime.addBinding", { name: binding }),
      page.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${watchTasks.toString()})()` }),
      page.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown }),
    ]);
    await page.send("Page.navigate", { url });
    await pause(settleMs);
    const tasks = await longTasksOf(page);
    const { metrics } = await page.send("Performance.getMetrics");
    const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
    return {
      scriptBytes: [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0),
      worked: seconds * 1000,
      longest: Math.max(0, ...tasks),
      blocked: tasks.reduce((sum, ms) => sum + ms - longTaskMs, 0),
    };
  } finally {
    unlisten();
    await browser.send("Target.disposeBrowserContext", { browserContextId });
  }
}

async function longTasksOf(page: Target): Promise<number[]> {
  const { result } = await page.send("Runtime.evaluate", { expression: "longTasks", returnByValue: true });
  return result.value as number[]; // see watchTasks
}

/** Runs in the page. */
function watchTasks(): void {
  const tasks: number[] = [];
  Reflect.set(window, "longTasks", tasks);
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  });
  observer.observe({ type: "longtask", buffered: true });
}
