/**
 * Finds what code for a merchant's page must never contain: words that only card code needs, input fields, markup,
 * requests and messages to any origin.
 *
 * It searches minified code, which has no comments and uses any of the three kinds of quotes. It catches accidents, not
 * code that deliberately hides what it does.
 */
import { brotliCompressSync } from "node:zlib";

const cardWords = ["luhn", "cc-number", "cc-csc", "cc-exp", "A256GCM", "creq", "threeDSMethodData"];

/**
 * APIs that are newer than Chromium 107, Firefox 104 and Safari 16 (2022), which understand the syntax that Vite emits.
 * The form needs newer browsers, but the loader must run in older ones to report `unsupported_browser`. DOM methods
 * such as `showPopover` may be newer because the loader checks that they exist before it calls them.
 */
const tooNew =
  /\b(?:withResolvers|canParse|groupBy|fromAsync|toSorted|toReversed|toSpliced|isWellFormed|toWellFormed|isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference|transferToFixedLength)\b|\bPromise\.try\b|\bAbortSignal\.any\b|\bURL\.parse\b|\bRegExp\.escape\b|\bIterator\./;

const forbidden: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/(["'`])input\1/, "it can create an input element"],
  [
    /postMessage\([^;]{0,200}?(["'`])\*\1|targetOrigin/,
    'it can post a message to "*", or passes the target in an options object, where it can\'t be checked',
  ],
  [
    /\.(?:inner|outer)HTML|insertAdjacentHTML|setHTMLUnsafe|document\.write|\beval\b|\bFunction\(|(?:\(|call\([\w$.]+,)(["'`])(?:style|script)\1/,
    "it writes markup, style elements, a style attribute or code",
  ],
  [
    /(?<![\w$])fetch\s*\(|[."'`]fetch(?![\w$])|XMLHttpRequest|sendBeacon|\bWebSocket\b|\bEventSource\b/,
    "it can make a request",
  ],
  [tooNew, "it calls an API that older browsers lack, but it must run in them to report `unsupported_browser`"],
];

/** Returns a sentence for each problem in built code. */
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
