/**
 * Two hundred mounts and unmounts leave nothing behind: no listeners, nodes, documents and iframes by the browser's
 * count, and no open message ports in the page. Chromium only, because no other browser reports these counts.
 */
import { type CDPSession, expect, test, type Page } from "@playwright/test";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";

// Tracing would keep references to removed iframes.
test.use({ trace: "off", screenshot: "off" });

const warmUps = 5;
const mounts = 200;
const counted = ["JSEventListeners", "Nodes", "Documents", "Frames"] as const;
type Counts = Record<(typeof counted)[number] | "ports" | "windows", number>;

test("200 mounts and unmounts leave no listeners, ports, iframes or nodes behind", async ({ page }) => {
  test.setTimeout(240_000);
  const { embedUrl } = await openSession();
  await page.addInitScript(countPorts);
  await page.goto(await pageAddress(appPage("esm")));
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");

  await mountAndUnmount(page, embedUrl, warmUps);
  const before = await countAll(page, cdp);
  await mountAndUnmount(page, embedUrl, mounts);

  await expect
    .poll(async () => leftBehind(before, await countAll(page, cdp)), {
      message: "back to where it was",
      timeout: 30_000,
    })
    .toEqual({});
});

test("control: the counts include what a page leaves behind", async ({ page }) => {
  await page.addInitScript(countPorts);
  await page.goto(await pageAddress(appPage("esm")));
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  const before = await countAll(page, cdp);
  await page.evaluate(() => {
    const retained: unknown[] = [];
    for (let at = 0; at < 10; at++) {
      const frame = document.createElement("iframe");
      document.body.append(frame);
      retained.push(frame.contentDocument, new MessageChannel());
      if (at % 2) frame.remove();
      addEventListener("resize", () => retained.length);
    }
    Reflect.set(window, "retained", retained);
  });
  const after = leftBehind(before, await countAll(page, cdp));
  expect(Object.keys(after).sort()).toEqual([...counted, "ports", "windows"].sort());
});

/** Every tenth iframe finishes loading. The others are removed at various stages of loading. */
async function mountAndUnmount(page: Page, embedUrl: string, times: number): Promise<void> {
  await page.evaluate(
    async ({ url, rounds }) => {
      for (let at = 0; at < rounds; at++) {
        const checkout = window.embed.createCheckout({ embedUrl: url, onError: () => {} });
        checkout.on("change", () => {});
        checkout.mount("#app");
        if (at % 10 === 0) await checkout.ready;
        else await new Promise((resolve) => setTimeout(resolve, (at % 5) * 20));
        if (at % 3 === 0) {
          checkout.unmount();
          checkout.mount("#app");
          checkout.unmount();
        }
        checkout.destroy();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    { url: embedUrl, rounds: times },
  );
}

async function countAll(page: Page, cdp: CDPSession): Promise<Counts> {
  for (let round = 0; round < 3; round++) await cdp.send("HeapProfiler.collectGarbage");
  const { metrics } = await cdp.send("Performance.getMetrics");
  const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  const own = await page.evaluate(() => ({
    ports: Reflect.get(window, "openPorts") as number,
    windows: window.length,
  }));
  return {
    JSEventListeners: value("JSEventListeners"),
    Nodes: value("Nodes"),
    Documents: value("Documents"),
    Frames: value("Frames"),
    ...own,
  };
}

/** The counts that have increased, and by how much. */
function leftBehind(before: Counts, after: Counts): Partial<Counts> {
  const names = Object.keys(before) as (keyof Counts)[]; // it has exactly these keys
  return Object.fromEntries(
    names.filter((name) => !(after[name] <= before[name])).map((name) => [name, after[name] - before[name]]),
  );
}

/** Counts the ports that this page created and neither closed nor transferred. */
function countPorts(): void {
  const open = new Set<MessagePort>();
  Object.defineProperty(window, "openPorts", { get: () => open.size });
  const Native = MessageChannel;
  window.MessageChannel = class extends Native {
    constructor() {
      super();
      open.add(this.port1);
    }
  };
  const close = MessagePort.prototype.close;
  MessagePort.prototype.close = function (this: MessagePort) {
    open.delete(this);
    close.call(this);
  };
}
