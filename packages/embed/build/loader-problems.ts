/**
 * What code for a merchant's page must never hold: words that only card code needs, fields, markup, requests, a message
 * to anyone.
 *
 * It reads minified code, where comments are gone and a text may stand in any of three quotes. It can be deceived by
 * code that hides what it does; it is there against the innocent line.
 */
import { brotliCompressSync } from "node:zlib";

const cardWords = ["luhn", "cc-number", "cc-csc", "cc-exp", "A256GCM", "creq", "threeDSMethodData"];

/**
 * What browsers older than these do not have: Chromium 107, Firefox 104, Safari 16, of 2022. There the syntax that Vite
 * writes is understood. The form asks for newer ones, but it is the loader that has to be able to say so:
 * `unsupported_browser`. Functions of the page (`showPopover`) are looked for before they are called, so they may be
 * newer.
 */
const tooNew =
  /\b(?:withResolvers|canParse|groupBy|fromAsync|toSorted|toReversed|toSpliced|isWellFormed|toWellFormed|isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference|transferToFixedLength)\b|\bPromise\.try\b|\bAbortSignal\.any\b|\bURL\.parse\b|\bRegExp\.escape\b|\bIterator\./;

const forbidden: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/(["'`])input\1/, "it can create an input element"],
  [
    /postMessage\([^;]{0,200}?(["'`])\*\1|targetOrigin/,
    'it can post a message to "*" (or takes the target from an options object, where that cannot be seen)',
  ],
  [
    /\.(?:inner|outer)HTML|insertAdjacentHTML|setHTMLUnsafe|document\.write|\beval\b|\bFunction\(|(?:\(|call\([\w$.]+,)(["'`])(?:style|script)\1/,
    "it writes markup, style elements, a style attribute or code",
  ],
  [
    /(?<![\w$])fetch\s*\(|[."'`]fetch(?![\w$])|XMLHttpRequest|sendBeacon|\bWebSocket\b|\bEventSource\b/,
    "it can make a request of its own",
  ],
  [tooNew, "it calls what old browsers do not have, where it is to say that they are too old"],
];

/** What is wrong with built code, one sentence each. */
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
