/**
 * Finds what code for a merchant's page must never contain: words that only card code needs, fields, markup, requests,
 * or messages to any origin.
 *
 * It expects minified code without comments, with any kind of quotes. It's meant to catch honest mistakes; code that
 * hides what it does can evade it.
 */
import { brotliCompressSync } from "node:zlib";

const cardWords = ["luhn", "cc-number", "cc-csc", "cc-exp", "A256GCM", "creq", "threeDSMethodData"];

/**
 * APIs that Chromium 107, Firefox 104 and Safari 16 (2022) don't have. These browsers support the syntax that Vite
 * emits. The form needs newer ones, but the loader must be able to report `unsupported_browser`. APIs such as
 * `showPopover` may be newer, because the loader checks for them before it calls them.
 */
const tooNew =
  /\b(?:withResolvers|canParse|groupBy|fromAsync|toSorted|toReversed|toSpliced|isWellFormed|toWellFormed|isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference|transferToFixedLength)\b|\bPromise\.try\b|\bAbortSignal\.any\b|\bURL\.parse\b|\bRegExp\.escape\b|\bIterator\./;

const forbidden: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/(["'`])input\1/, "it can create an input element"],
  [
    /postMessage\([^;]{0,200}?(["'`])\*\1|targetOrigin/,
    'it can post a message to "*" (or takes the target from an options object, which hides the value)',
  ],
  [
    /\.(?:inner|outer)HTML|insertAdjacentHTML|setHTMLUnsafe|document\.write|\beval\b|\bFunction\(|(?:\(|call\([\w$.]+,)(["'`])(?:style|script)\1/,
    "it writes markup, style elements, a style attribute or code",
  ],
  [
    /(?<![\w$])fetch\s*\(|[."'`]fetch(?![\w$])|XMLHttpRequest|sendBeacon|\bWebSocket\b|\bEventSource\b/,
    "it can send a request",
  ],
  [
    /\bArray\.from\b|\bObject\.values\b|\.remove\(\)/,
    "it calls a function that old libraries such as Prototype.js replace with a different one",
  ],
  [tooNew, "it calls an API that old browsers don't have, so it couldn't report that they're too old"],
];

/** Returns the problems in built code, one sentence each. */
export function loaderProblems(code: string, maxBrotliBytes: number): string[] {
  const problems = cardWords
    .filter((word) => code.toLowerCase().includes(word.toLowerCase()))
    .map((word) => `it contains "${word}", which only card code needs`);
  for (const [pattern, problem] of forbidden) if (pattern.test(code)) problems.push(problem);
  const size = brotliBytes(code);
  if (size > maxBrotliBytes) problems.push(`it weighs ${size} bytes with brotli; the budget is ${maxBrotliBytes}`);
  return problems;
}

export function brotliBytes(code: string): number {
  return brotliCompressSync(code).byteLength;
}
