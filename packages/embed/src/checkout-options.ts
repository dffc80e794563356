/**
 * Reads the options a merchant passes. They come from outside, so they are copied once and checked, and only the copy is used.
 * Only own properties count: what someone put on `Object.prototype` supplies nothing. An unknown name is refused, because a
 * misspelt option that is silently dropped is found out by a customer.
 */
import type { CheckoutEventName, CheckoutEvents } from "./checkout-events.ts";
import { type EmbedUrl, readEmbedUrl } from "./embed-url.ts";

export interface CheckoutOptions {
  /** The `embed_url` that creating the session answered, whole. */
  embedUrl: string;
  /** What a screen reader calls the frame. Default "Secure card payment". */
  title?: string;
  /** How long the frame may take until its form can be used, in milliseconds, 1 to 600 000. Default 15 000. */
  timeout?: number;
  /** What stands in for a frame that does not answer: a link to the full page (default), or nothing but the `error` event. */
  fallback?: "link" | "error";
  /** Aborting it destroys the checkout. */
  signal?: AbortSignal;
  onLoadStart?(detail: CheckoutEvents["loadstart"]): void;
  onReady?(detail: CheckoutEvents["ready"]): void;
  onResize?(detail: CheckoutEvents["resize"]): void;
  onSubmit?(detail: CheckoutEvents["submit"]): void;
  onChallengeStart?(detail: CheckoutEvents["challengestart"]): void;
  onChallengeEnd?(detail: CheckoutEvents["challengeend"]): void;
  onDecline?(detail: CheckoutEvents["decline"]): void;
  /** For the screen only. The payment is proved by the signed webhook. */
  onComplete?(detail: CheckoutEvents["complete"]): void;
  onError?(detail: CheckoutEvents["error"]): void;
}

/** The options after reading: every one is there. */
export interface CheckoutSettings {
  url: EmbedUrl;
  title: string;
  timeoutMs: number;
  fallback: "link" | "error";
  signal: AbortSignal | null;
  callbacks: readonly (readonly [event: CheckoutEventName, callback: (detail: never) => void])[];
}

/** @throws TypeError that names the option and says what to pass. */
export function readOptions(options: unknown): CheckoutSettings {
  if (typeof options !== "object" || options === null) throw new TypeError("Oriel: pass an object with an embedUrl.");
  const given = new Map<string, unknown>(Object.entries(options).filter(([, value]) => value !== undefined));
  for (const name of given.keys()) {
    if (!optionNames.has(name)) throw new TypeError(`Oriel: there is no option "${name}".`);
  }
  return {
    url: readEmbedUrl(given.get("embedUrl")),
    title: readTitle(given.get("title")),
    timeoutMs: readTimeout(given.get("timeout")),
    fallback: readFallback(given.get("fallback")),
    signal: readSignal(given.get("signal")),
    callbacks: callbackNames.flatMap(([option, event]) => {
      const callback = given.get(option);
      if (callback === undefined) return [];
      if (!isCallback(callback)) throw new TypeError(`Oriel: ${option} must be a function.`);
      return [[event, callback] as const];
    }),
  };
}

const callbackNames = [
  ["onLoadStart", "loadstart"],
  ["onReady", "ready"],
  ["onResize", "resize"],
  ["onSubmit", "submit"],
  ["onChallengeStart", "challengestart"],
  ["onChallengeEnd", "challengeend"],
  ["onDecline", "decline"],
  ["onComplete", "complete"],
  ["onError", "error"],
] as const satisfies readonly (readonly [keyof CheckoutOptions, CheckoutEventName])[];

const optionNames: ReadonlySet<string> = new Set([
  "embedUrl",
  "title",
  "timeout",
  "fallback",
  "signal",
  ...callbackNames.map(([option]) => option),
] satisfies (keyof CheckoutOptions)[]);

function readTitle(value: unknown): string {
  if (value === undefined) return "Secure card payment";
  if (typeof value === "string" && value !== "" && value.length <= 200) return value;
  throw new TypeError("Oriel: title must be a text of 1 to 200 characters.");
}

function readTimeout(value: unknown): number {
  if (value === undefined) return 15_000;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 600_000) return value;
  throw new TypeError("Oriel: timeout must be a whole number of milliseconds from 1 to 600000.");
}

function readFallback(value: unknown): "link" | "error" {
  if (value === undefined) return "link";
  if (value === "link" || value === "error") return value;
  if (value === "redirect") throw new TypeError('Oriel: fallback "redirect" is not supported yet; use "link" or "error".');
  throw new TypeError('Oriel: fallback must be "link" or "error".');
}

function readSignal(value: unknown): AbortSignal | null {
  if (value === undefined) return null;
  if (value instanceof AbortSignal) return value;
  throw new TypeError("Oriel: signal must be an AbortSignal.");
}

function isCallback(value: unknown): value is (detail: never) => void {
  return typeof value === "function";
}
