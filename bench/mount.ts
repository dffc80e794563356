/**
 * `npm run bench -- mount`: time from the navigation and from the `mount` call until a customer can type and pay, and
 * what that costs the shop's page, compared with two bare forms in an iframe: one whose button works at once, and one
 * that fetches its session first.
 *
 * The page belongs to a shop on one site, and the iframe to another site and process. The service runs as in `npm
 * start`, and each visit has its own session. The forms are visited in turn, because a machine's speed varies. Each visit
 * uses a new browser profile and then the same one again, which has cached the loader and the iframe's scripts.
 */
import { describeMachine } from "./machine.ts";
import { percentile, printMeasurements, rounded, writeMeasurements, type Measurement } from "./measurement.ts";
import { openBottleneck } from "./mount/bottleneck.ts";
import { openBrowser, type Browser } from "./mount/browser.ts";
import { startDemoService, type DemoService } from "./mount/demo-service.ts";
import { profiles, type Profile } from "./mount/profiles.ts";
import { serveSites, type Sites } from "./mount/sites.ts";
import { steps, visit, type Site, type Visit } from "./mount/visit.ts";

export const mountParts = Object.keys(profiles);
/** Odd, so that the median is the value of one visit. */
const enoughRuns = 25;

/**
 * @param only - Runs only this profile and writes nothing to disk.
 * @param runs - Visits of each kind. If there are too few, nothing is written to disk either.
 */
export async function benchMount(only: string | null, runs = enoughRuns): Promise<void> {
  const measurements: Measurement[] = [];
  const service = await startDemoService();
  const sites = await serveSites();
  const machine = describeMachine();
  try {
    for (const [part, profile] of Object.entries(profiles)) {
      if (only !== null && only !== part) continue;
      const network = profile.network === null ? null : await openBottleneck(profile.network);
      const browser = await openBrowser(network?.proxy ?? null);
      machine.chromium = browser.version;
      try {
        measurements.push(...(await measure({ browser, service, sites }, profile, runs)));
      } finally {
        await browser.close();
        network?.close();
      }
    }
    if (only === null && runs >= enoughRuns) writeMeasurements("mount", machine, measurements);
  } finally {
    printMeasurements(machine, measurements);
    sites.close();
    await service.close();
  }
}

interface Ground {
  browser: Browser;
  service: DemoService;
  sites: Sites;
}

const bareForms = { bare: "/form", withSession: "/form-with-session" } as const;
const candidates = ["bare", "withSession", "oriel"] as const;
type Candidate = (typeof candidates)[number];
const visits = ["first visit", "second visit"] as const;
type Visits = Record<Candidate, Record<(typeof visits)[number], Visit[]>>;

async function measure(ground: Ground, profile: Profile, runs: number): Promise<Measurement[]> {
  const none = () => ({ "first visit": [], "second visit": [] });
  const made: Visits = { bare: none(), withSession: none(), oriel: none() };
  for (let run = 0; run <= runs; run++) {
    console.log(run === 0 ? `Measuring ${profile.name}: warming up` : `Measuring ${profile.name}: ${run} of ${runs}`);
    for (const candidate of run % 2 === 0 ? candidates : candidates.toReversed()) {
      const [first, second] = await visitTwice(ground, candidate, profile);
      if (run === 0) continue; // the first run is the browser's own warm-up
      made[candidate]["first visit"].push(first);
      made[candidate]["second visit"].push(second);
    }
  }
  return visits.flatMap((which) => compare(made, which, profile));
}

async function visitTwice(
  { browser, ...ground }: Ground,
  candidate: Candidate,
  profile: Profile,
): Promise<[Visit, Visit]> {
  const { browserContextId } = await browser.send("Target.createBrowserContext");
  try {
    const first = await visit(browser, browserContextId, await siteOf(ground, candidate), profile);
    return [first, await visit(browser, browserContextId, await siteOf(ground, candidate), profile)];
  } finally {
    await browser.send("Target.disposeBrowserContext", { browserContextId });
  }
}

async function siteOf({ service, sites }: Omit<Ground, "browser">, candidate: Candidate): Promise<Site> {
  if (candidate !== "oriel") {
    const path = bareForms[candidate];
    const mount = `Bare.mount("#checkout", "${path}", () => tell("ready"));`;
    return { url: sites.serveShop(`${sites.bareOrigin}/bare.js`, mount), frameUrl: `${sites.bareOrigin}${path}` };
  }
  const embedUrl = await service.openSession(sites.shopOrigin);
  const mount = `Oriel.mountCheckout("#checkout", { embedUrl: ${JSON.stringify(embedUrl)} }).ready.then(() => tell("ready"));`;
  const url = sites.serveShop(`${service.checkoutOrigin}/embed/v1/oriel.js`, mount);
  return { url, frameUrl: `${service.checkoutOrigin}/c/` };
}

/**
 * Compares our figures with the bare form's, or with those of the one that fetches its session. Only the first visit has
 * a budget, because most customers visit only once.
 */
function compare(made: Visits, which: (typeof visits)[number], { name, budgetOver }: Profile): Measurement[] {
  const beside = (
    what: string,
    unit: Measurement["unit"],
    of: (visit: Visit) => number,
    neighbor: keyof typeof bareForms = "bare",
  ): Measurement => {
    const [value, floor] = [made.oriel, made[neighbor]].map((all) => quartiles(all[which].map(of))) as [
      Quartiles,
      Quartiles,
    ]; // there are always two
    return {
      what: `${name}, ${which}: ${what}`,
      unit,
      value: value.median,
      quartiles: [value.lower, value.upper],
      floor: floor.median,
      floor_quartiles: [floor.lower, floor.upper],
    };
  };
  const usable = beside("mount to usable", "ms", (visit) => visit.usable);
  const budget = which === "first visit" ? { budget: rounded(budgetOver(usable.floor ?? Number.NaN)) } : {};
  return [
    { ...usable, ...budget },
    ...steps.map((step) => beside(`  ${stepNames[step]}`, "ms", (visit) => visit.steps[step])),
    beside("mount to ready", "ms", (visit) => visit.ready, "withSession"),
    beside("navigation to usable", "ms", (visit) => visit.mounted + visit.usable),
    beside("navigation to ready", "ms", (visit) => visit.mounted + visit.ready, "withSession"),
    beside("key to paint", "ms", (visit) => visit.keyToPaint),
    beside("shop's main thread", "ms", (visit) => visit.shopWorked),
    beside("shop's main thread blocked", "ms", (visit) => visit.shopBlocked),
    beside("shop's long tasks", "tasks", (visit) => visit.longTasks),
    beside("requests", "requests", (visit) => visit.requests),
    beside("on the wire", "bytes", (visit) => visit.wireBytes),
  ];
}

const stepNames: Record<(typeof steps)[number], string> = {
  asked: "iframe requested",
  answered: "iframe's page received",
  focusable: "field is focusable",
  attached: "key listeners attached",
  shown: "iframe shown",
};

interface Quartiles {
  lower: number;
  median: number;
  upper: number;
}

function quartiles(values: readonly number[]): Quartiles {
  const at = (share: number) => rounded(percentile(values, share));
  return { lower: at(0.25), median: at(0.5), upper: at(0.75) };
}
