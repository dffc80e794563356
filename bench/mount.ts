/**
 * `npm run bench -- mount`: time from the navigation and from the `mount` call until a customer can type and pay, and
 * what that costs the shop's page, compared with two bare forms in an iframe: one whose button works at once, and one
 * that fetches its session first.
 *
 * The page belongs to a shop on one site, and the iframe to another site and process. The service runs as in `npm
 * start`, and each visit has its own session. The forms are visited in turn, because a machine's speed varies. Each
 * first visit uses a new browser profile. The second visit uses the same one again, which has cached the loader and the
 * iframe's scripts.
 *
 * The part `shop-page` measures only what the loader costs the shop's page, compared with the libraries of other
 * providers.
 */
import { describeMachine } from "./machine.ts";
import { percentile, printMeasurements, rounded, writeMeasurements, type Measurement } from "./measurement.ts";
import { openBottleneck } from "./mount/bottleneck.ts";
import { openBrowser, type Browser } from "./mount/browser.ts";
import { startDemoService, type DemoService } from "./mount/demo-service.ts";
import { profiles, type Profile } from "./mount/profiles.ts";
import { measureShopPages } from "./mount/shop-pages.ts";
import { serveSites, type Sites } from "./mount/sites.ts";
import { steps, visit, type Site, type Visit } from "./mount/visit.ts";

const shopPagePart = "shop-page";
export const mountParts = [...Object.keys(profiles), shopPagePart];
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
    if (only === null || only === shopPagePart) measurements.push(...(await measureShopPages(service, sites, runs)));
    if (only === null && runs >= enoughRuns) writeMeasurements("mount", machine, measurements);
  } finally {
    printMeasurements(machine, measurements);
    sites.close();
    await service.close();
  }
}

interface Testbed {
  browser: Browser;
  service: DemoService;
  sites: Sites;
}

const bareForms = { bare: "/form", withSession: "/form-with-session" } as const;
const candidates = ["bare", "withSession", "oriel"] as const;
type Candidate = (typeof candidates)[number];
const visits = ["first visit", "second visit", "first visit with preconnect"] as const;
type VisitKind = (typeof visits)[number];
/** The visits that share a browser profile. */
const profileVisits: VisitKind[][] = [["first visit", "second visit"], ["first visit with preconnect"]];
type Visits = Record<Candidate, Record<VisitKind, Visit[]>>;

async function measure(testbed: Testbed, profile: Profile, runs: number): Promise<Measurement[]> {
  const none = () => ({ "first visit": [], "second visit": [], "first visit with preconnect": [] });
  const made: Visits = { bare: none(), withSession: none(), oriel: none() };
  for (let run = 0; run <= runs; run++) {
    console.log(run === 0 ? `Measuring ${profile.name}: warming up` : `Measuring ${profile.name}: ${run} of ${runs}`);
    for (const candidate of run % 2 === 0 ? candidates : candidates.toReversed()) {
      for (const kinds of profileVisits) {
        const { browserContextId } = await testbed.browser.send("Target.createBrowserContext");
        try {
          for (const kind of kinds) {
            const site = await siteOf(testbed, candidate, kind === "first visit with preconnect");
            const one = await visit(testbed.browser, browserContextId, site, profile);
            if (run > 0) made[candidate][kind].push(one); // the first run is the browser's own warm-up
          }
        } finally {
          await testbed.browser.send("Target.disposeBrowserContext", { browserContextId });
        }
      }
    }
  }
  return visits.flatMap((which) => compare(made, which, profile));
}

async function siteOf(
  { service, sites }: Omit<Testbed, "browser">,
  candidate: Candidate,
  isPreconnected: boolean,
): Promise<Site> {
  if (candidate !== "oriel") {
    const path = bareForms[candidate];
    const { bareOrigin } = sites;
    const mount = `Bare.mount("#checkout", "${path}", () => tell("ready"));`;
    const url = sites.serveShop(`${bareOrigin}/bare.js`, mount, isPreconnected ? bareOrigin : null);
    return { url, frameUrl: `${bareOrigin}${path}` };
  }
  const { checkoutOrigin } = service;
  const embedUrl = await service.openSession(sites.shopOrigin);
  const mount = `Oriel.mountCheckout("#checkout", { embedUrl: ${JSON.stringify(embedUrl)} }).ready.then(() => tell("ready"));`;
  const loaderUrl = `${checkoutOrigin}/embed/v1/oriel.js`;
  const url = sites.serveShop(loaderUrl, mount, isPreconnected ? checkoutOrigin : null);
  return { url, frameUrl: `${checkoutOrigin}/c/` };
}

/**
 * Compares our figures with the bare form's, or with those of the one that fetches its session. Only the first visit
 * has a budget, because most customers visit only once.
 */
function compare(made: Visits, which: VisitKind, { name, budgetAbove }: Profile): Measurement[] {
  const compared = (
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
  const usable = compared("mount to usable", "ms", (visit) => visit.usable);
  const budget = which === "first visit" ? { budget: rounded(budgetAbove(usable.floor ?? Number.NaN)) } : {};
  return [
    { ...usable, ...budget },
    ...steps.map((step) => compared(`  ${stepNames[step]}`, "ms", (visit) => visit.steps[step])),
    compared("mount to ready", "ms", (visit) => visit.ready, "withSession"),
    compared("navigation to usable", "ms", (visit) => visit.mounted + visit.usable),
    compared("navigation to ready", "ms", (visit) => visit.mounted + visit.ready, "withSession"),
    compared("key to paint", "ms", (visit) => visit.keyToPaint),
    compared("shop's main thread", "ms", (visit) => visit.shopWorked),
    compared("shop's main thread blocked", "ms", (visit) => visit.shopBlocked),
    compared("shop's long tasks", "tasks", (visit) => visit.longTasks),
    compared("requests", "requests", (visit) => visit.requests),
    compared("on the wire", "bytes", (visit) => visit.wireBytes),
  ];
}

const stepNames: Record<(typeof steps)[number], string> = {
  requested: "iframe requested",
  received: "iframe's page received",
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
