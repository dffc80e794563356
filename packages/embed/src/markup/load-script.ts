/**
 * Loads the service's script and returns its global.
 *
 * It uses `import()`, which needs no element, so it works with Trusted Types and a `script-src` that allows only the
 * checkout's origin. It loads the same file as a script tag, which sets the same global. A module can't determine its
 * origin, so we pass the origin to the global.
 *
 * Integrity: `import()` doesn't support it, but a `modulepreload` link does. The browser checks the bytes and caches
 * them under the URL that `import()` then uses. The URL has the hash as its fragment, because the browser doesn't check
 * a module that the page has already loaded or preloaded under the same URL. Browsers without `modulepreload` would
 * import the script unchecked, so loading fails there. A script that fails the check is never imported. WebKit ignores
 * the attribute and imports the script unchecked (https://wpt.fyi/results/preload/modulepreload-sri.html).
 *
 * It trusts its caller's origin. It refuses a global from another origin, and a file that sets no global, such as an ad
 * blocker's empty replacement.
 */
import { CheckoutError } from "../api/checkout-error.ts";
import { version as ownVersion } from "../api/version.ts";
import { createElement, rootElement } from "../page/host-document.ts";
import { findGlobal, type OrielGlobal } from "./find-global.ts";

export interface LoadOptions {
  /** The service's origin, such as `https://pay.example.com`. */
  origin: string;
  /** An exact version. Defaults to this package's version. */
  version?: string;
  /** The version's value from `/embed/sri.json`, `sha384-...`. */
  integrity?: string;
  /**
   * A nonce for the preload link, if your Content-Security-Policy needs one. `import()` itself uses the calling
   * script's nonce.
   */
  nonce?: string;
  /** The time limit for all attempts together, in milliseconds, 1 to 60,000. Default 10,000. */
  timeout?: number;
  /** The number of retries, 0 to 5. Default 1. */
  retries?: number;
}

/** Loads that haven't failed, by URL and integrity. */
const pending = /* @__PURE__ */ new Map<string, Promise<OrielGlobal>>();
/**
 * The number of failed attempts for all URLs. Browsers remember that a module failed to load, so each retry needs a new
 * URL.
 */
let failures = 0;

export function loadScript(
  options: LoadOptions,
  importModule: (url: string) => Promise<unknown>,
): Promise<OrielGlobal | null> {
  if (typeof document === "undefined") return Promise.resolve(null);
  try {
    const settings = readOptions(Object.assign(Object.create(null), options));
    const key = `${settings.url} ${settings.integrity}`;
    const known = pending.get(key);
    if (known) return known;
    const loading = load(settings, importModule);
    pending.set(key, loading);
    loading.catch(() => pending.delete(key));
    return loading;
  } catch (error) {
    return Promise.reject(error);
  }
}

type Settings = ReturnType<typeof readOptions>;

async function load(settings: Settings, importModule: (url: string) => Promise<unknown>): Promise<OrielGlobal> {
  const { origin, retries, timeout } = settings;
  let reason: unknown;
  for (let retry = 0; retry <= retries; retry++) {
    const present = findGlobal(window);
    if (present?.origin === origin) return present;
    if (present) throw new TypeError("Oriel: another origin's script is loaded.");
    try {
      return await within(timeout / (retries + 1), attempt(settings, importModule));
    } catch (error) {
      failures++;
      reason = error;
    }
  }
  throw new CheckoutError("script_blocked", origin, undefined, false, reason);
}

async function attempt(
  { url, origin, integrity, nonce }: Settings,
  importModule: (url: string) => Promise<unknown>,
): Promise<OrielGlobal> {
  const moduleUrl = `${url}${failures === 0 ? "" : `?retry=${failures}`}${integrity && `#${integrity}`}`;
  if (integrity) await preload(moduleUrl, integrity, nonce);
  await importModule(moduleUrl);
  const found = findGlobal(window);
  if (!found) throw new Error("Oriel: not ours.");
  found.load(origin);
  return found;
}

/** @throws (rejects) if the browser can't check the integrity, or it doesn't match */
function preload(href: string, integrity: string, nonce: string): Promise<unknown> {
  const link = createElement("link");
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new Error("Oriel: integrity unverified."));
    if (!link.relList.supports("modulepreload")) return refuse();
    Object.assign(link, {
      onload: resolve,
      onerror: refuse,
      rel: "modulepreload",
      crossOrigin: "",
      integrity,
      nonce,
      href,
    });
    rootElement().append(link);
  }).finally(() => link.replaceWith());
}

function within<T>(ms: number, job: Promise<T>): Promise<T> {
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(reject, ms, new Error("Oriel: timeout."));
  });
  return Promise.race([job, late]);
}

function readOptions({
  origin = "",
  version = ownVersion,
  integrity = "",
  nonce = "",
  timeout = 10_000,
  retries = 1,
}: Partial<LoadOptions>) {
  const isRight =
    /^https?:\/\/[^/?#@]+$/.test(origin) &&
    /^\d+\.\d+\.\d+$/.test(version) &&
    /^(sha(256|384|512)-[\w+/]+=*)?$/.test(integrity) &&
    timeout > 0 &&
    timeout <= 60_000 &&
    [0, 1, 2, 3, 4, 5].includes(retries);
  if (!isRight) {
    throw new TypeError(
      "Oriel: pass origin https://..., version 1.2.3, integrity sha384-..., timeout to 60000, retries to 5.",
    );
  }
  const { origin: exact } = new URL(origin);
  return { url: `${exact}/embed/v${version}/oriel.js`, origin: exact, integrity, nonce, timeout, retries };
}
