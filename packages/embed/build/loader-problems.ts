/**
 * What code for a merchant's page must never hold: words that only card code needs, fields, markup, requests, a message to anyone.
 *
 * It reads minified code, where comments are gone and a text may stand in any of three quotes. It can be deceived by code that hides what it
 * does; it is there against the innocent line.
 */
import { brotliCompressSync } from "node:zlib";

const cardWords = ["luhn", "cc-number", "cc-csc", "cc-exp", "A256GCM", "creq", "threeDSMethodData"];

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
