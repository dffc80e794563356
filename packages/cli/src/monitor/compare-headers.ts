/** Compares a page's response headers with the inventory. The content security policy is compared per directive. */
import type { InventoryPage } from "@oriel/protocol/script-inventory";
import type { Difference } from "./difference.ts";

/**
 * Headers that the service never sends, and that could change what code runs, where the page leads or what's stored.
 */
const unexpected = [
  "set-cookie",
  "link",
  "refresh",
  "access-control-allow-origin",
  "cross-origin-embedder-policy",
  "service-worker-allowed",
  "sourcemap",
  "x-sourcemap",
  "speculation-rules",
  "content-security-policy-report-only",
  "reporting-endpoints",
  "report-to",
  "nel",
];
/** Proxies announce HTTP/3 on their own host. Another host would respond in place of the service. */
const ownAlternatives =
  /^\s*(?:clear|[\w%-]+=":\d{1,5}"(?:\s*;\s*\w+="?\w+"?)*(?:\s*,\s*[\w%-]+=":\d{1,5}"(?:\s*;\s*\w+="?\w+"?)*)*)\s*$/;
const minTransportSeconds = 31_536_000;

/** By lowercase name. */
type Headers = Readonly<Record<string, string>>;

interface Expectation {
  isSecure: boolean;
  /** The expected `frame-ancestors`. Null: none. Undefined: the allowed origins of a session, which aren't known. */
  ancestors: string | null | undefined;
}

export function compareHeaders(
  { headers }: Pick<InventoryPage, "headers">,
  received: Headers,
  { isSecure, ancestors }: Expectation,
): Difference[] {
  const differences: Difference[] = [];
  const differ = (what: string, expected: string | null, found: string | null) =>
    differences.push({ what, expected, found, says: sentence(what, expected, found) });

  for (const [name, expected] of Object.entries(headers)) {
    const found = received[name] ?? null;
    if (found === null) differ(`header ${name}`, expected, null);
    else if (name === "content-security-policy") comparePolicies(expected, found, ancestors, differ);
    else if (found !== expected) differ(`header ${name}`, expected, found);
  }
  for (const [name, found] of unexpectedIn(received)) {
    if (!Object.hasOwn(headers, name)) differ(`header ${name}`, null, found);
  }
  const transport = received["strict-transport-security"] ?? "";
  const seconds = Number(/(?:^|[;\s])max-age="?(\d+)/i.exec(transport)?.[1] ?? 0);
  if (isSecure && seconds < minTransportSeconds)
    differ("header strict-transport-security", `max-age of at least ${minTransportSeconds}`, transport || null);
  return differences;
}

/** Files are the same for every page, so the service lets any origin read them. */
export function compareFileHeaders(what: string, received: Headers): Difference[] {
  return unexpectedIn(received)
    .filter(([name]) => name !== "access-control-allow-origin")
    .map(([name, found]) => {
      const header = `header ${name} of ${what}`;
      return { what: header, expected: null, found, says: sentence(header, null, found) };
    });
}

function unexpectedIn(received: Headers): [name: string, found: string][] {
  return Object.entries(received).filter(([name, found]) =>
    name === "alt-svc" ? !ownAlternatives.test(found) : unexpected.includes(name),
  );
}

type Differ = (what: string, expected: string | null, found: string | null) => void;

function comparePolicies(expected: string, found: string, ancestors: Expectation["ancestors"], differ: Differ): void {
  // A comma starts a second policy. Ours contains none, so a comma is reported as a difference.
  const [ours, theirs] = [readPolicy(expected), readPolicy(found)];
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
    if (name === "frame-ancestors") continue;
    const [want, got] = [ours.get(name) ?? null, theirs.get(name) ?? null];
    if (want !== got) differ(`content-security-policy, ${name}`, want, got);
  }
  const got = theirs.get("frame-ancestors") ?? null;
  const isExpected = ancestors === undefined ? got?.split(" ").every(isExactOrigin) : got === ancestors;
  if (isExpected !== true) {
    const want = ancestors === undefined ? "the session's allowed origins without wildcards, or 'none'" : ancestors;
    differ("content-security-policy, frame-ancestors", want, got);
  }
}

/**
 * Parses a policy as browsers do: if a directive is repeated, only the first counts, and the order of sources doesn't
 * matter. Only ASCII whitespace separates tokens. Browsers treat a no-break space as part of the name, and ignore the
 * directive.
 */
function readPolicy(policy: string): Map<string, string> {
  const directives = new Map<string, string>();
  for (const directive of policy.split(";")) {
    const [name = "", ...sources] = directive.split(/[\t\n\f\r ]+/).filter((part) => part !== "");
    if (name !== "" && !directives.has(name.toLowerCase()))
      directives.set(name.toLowerCase(), sources.toSorted().join(" "));
  }
  return directives;
}

function isExactOrigin(source: string): boolean {
  if (source === "'self'" || source === "'none'") return true;
  return URL.canParse(source) && new URL(source).origin === source && !source.includes("*");
}

function sentence(what: string, expected: string | null, found: string | null): string {
  const subject = `The ${what}`;
  if (found === null) return `${subject} is missing. Expected: ${expected}`;
  if (expected === null) return `${subject} is unexpected: ${short(found)}`;
  return `${subject} is: ${short(found)}. Expected: ${expected}`;
}

function short(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
}
