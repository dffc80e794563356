/**
 * Brings the script of the service into the page and finds its global.
 *
 * It is loaded by `import()`, which needs no element, so a page that requires Trusted Types and allows one origin in
 * `script-src` has nothing to refuse; the script is the same file that a tag loads, and sets the same global. A module
 * cannot see where it came from, so we tell the global.
 *
 * `integrity`. `import()` takes none, a `modulepreload` link does: the browser checks the bytes and keeps them under
 * the address that `import()` then asks for. A browser that knows no such link would import unchecked, so there we
 * refuse. What was refused is never imported.
 *
 * It trusts the code that calls it for the origin. It refuses another origin's global, and a file that leaves no global
 * behind (an ad blocker's empty stand-in).
 */
import { CheckoutError } from "../checkout/checkout-error.ts";
import { findGlobal, type OrielGlobal } from "./find-global.ts";
import { createElement, rootElement } from "../host-document.ts";
import { version as ownVersion } from "../version.ts";

export interface LoadOptions {
  /** The service's origin, such as `https://pay.example.com`. */
  origin: string;
  /** An exact version. Default: this package's own. */
  version?: string;
  /** As `/embed/sri.json` lists it for that version: `sha384-...`. */
  integrity?: string;
  /**
   * For a policy that asks one of preloaded scripts. `import()` passes on the nonce of the script that calls it by
   * itself.
   */
  nonce?: string;
  /** How long all tries together may take, in milliseconds, 1 to 60 000. Default 10 000. */
  timeout?: number;
  /** How often to try again, 0 to 5. Default 1. */
  retries?: number;
}

/** Loads that have not failed, by address and integrity. */
const pending = /* @__PURE__ */ new Map<string, Promise<OrielGlobal>>();
/**
 * Tries of any address that failed. A browser remembers that a module could not be loaded, so the next try needs an
 * address of its own.
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
    const answer = load(settings, importModule);
    pending.set(key, answer);
    answer.catch(() => pending.delete(key));
    return answer;
  } catch (error) {
    return Promise.reject(error);
  }
}

type Settings = ReturnType<typeof readOptions>;

async function load(settings: Settings, importModule: (url: string) => Promise<unknown>): Promise<OrielGlobal> {
  const { origin, retries, timeout } = settings;
  let reason: unknown;
  for (let tries = 0; tries <= retries; tries++) {
    const present = findGlobal(window);
    if (present?.origin === origin) return present;
    if (present) throw new TypeError("Oriel: the page has the script of another origin.");
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
  const address = failures === 0 ? url : `${url}?retry=${failures}`;
  if (integrity) await preload(address, integrity, nonce);
  await importModule(address);
  const found = findGlobal(window);
  if (!found) throw new Error("Oriel: that is not the script.");
  found.load(origin);
  return found;
}

/** @throws (rejects) where the browser cannot check, or the bytes are not what `integrity` says. */
function preload(href: string, integrity: string, nonce: string): Promise<unknown> {
  const link = createElement("link");
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new Error("Oriel: integrity is another, or unchecked."));
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
  }).finally(() => link.remove());
}

function within<T>(ms: number, job: Promise<T>): Promise<T> {
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(reject, ms, new Error("Oriel: too late."));
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
      'Oriel: pass origin "https://...", version "1.2.3", integrity "sha384-...", timeout to 60000, retries to 5.',
    );
  }
  const { origin: exact } = new URL(origin);
  return { url: `${exact}/embed/v${version}/oriel.js`, origin: exact, integrity, nonce, timeout, retries };
}
