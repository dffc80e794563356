/**
 * The card number ranges that take part in 3-D Secure, as a PRes lists them in either version.
 *
 * The bank's own numbers, `4000 0090 VM.. ....`, have one range for each combination of V (versions) and M (3DS
 * Method). The well-known test numbers of other providers are scattered, so each has its own range of three numbers. No
 * range covers a card that doesn't take part. None starts or ends at a card, because a PRes must not contain a card
 * number.
 */
import { messageVersions, type CardRange220, type CardRange231, type MessageVersion } from "@oriel/protocol/threeds";
import { enrolledCards } from "./cards.ts";
import type { Enrolment } from "./three-d-secure.ts";

/** @param origin - Origin of the ACS. */
export function cardRanges(version: MessageVersion, origin: string): (CardRange220 | CardRange231)[] {
  return version === "2.2.0" ? cardRanges220(origin) : cardRanges231(origin);
}

/** Whether the range contains the number. */
export function isEnrolled(number: string, version: MessageVersion): boolean {
  return ranges.some(
    ({ start, end, versions }) =>
      number.length === start.length && start <= number && number <= end && versions.includes(version),
  );
}

interface Range extends Enrolment {
  start: string;
  end: string;
}

const ownNumbers = "40000090";

const ranges: readonly Range[] = rangesOf(enrolledCards());

function rangesOf(enrolled: ReturnType<typeof enrolledCards>): Range[] {
  const byStart = new Map<string, Range>();
  for (const { number, versions, method } of enrolled) {
    const prefix = number.slice(0, ownNumbers.length + 2);
    // These ranges start and end one number early, because there's a card that has only zeros after VM.
    const [start, end] = number.startsWith(ownNumbers)
      ? [neighbour(prefix.padEnd(number.length, "0"), -1n), neighbour(prefix.padEnd(number.length, "9"), -1n)]
      : [neighbour(number, -1n), neighbour(number, 1n)];
    byStart.set(start, { start, end, versions, method });
  }
  return [...byStart.values()];
}

/** A double is exact for sixteen-digit numbers only up to 2^53, so these are bigints. */
function neighbour(number: string, step: bigint): string {
  return String(BigInt(number) + step).padStart(number.length, "0");
}

function cardRanges220(origin: string): CardRange220[] {
  return ranges.map(({ start, end, versions, method }) => ({
    startRange: start,
    endRange: end,
    acsStartProtocolVersion: versions[0] ?? messageVersions[0],
    acsEndProtocolVersion: versions.at(-1) ?? messageVersions[0],
    ...methodAddress(method, origin),
  }));
}

/** Groups all ranges of one kind. */
function cardRanges231(origin: string): CardRange231[] {
  const kinds = Map.groupBy(ranges, ({ versions, method }) => [...versions, method].join());
  return [...kinds.values()].map((alike) => ({
    ranges: alike.map(({ start, end }) => ({ start, end })),
    acsProtocolVersions: (alike[0]?.versions ?? []).map((version) => ({
      version,
      // Authentication, attempts, decoupled authentication.
      acsInfoInd: version === "2.2.0" ? ["01", "02"] : ["01", "02", "03"],
      ...methodAddress(alike[0]?.method ?? "none", origin),
    })),
  }));
}

function methodAddress(method: Enrolment["method"], origin: string): { threeDSMethodURL?: string } {
  switch (method) {
    case "none":
      return {};
    case "runs":
      return { threeDSMethodURL: `${origin}/acs/method` };
    case "silent":
    case "unframeable":
      return { threeDSMethodURL: `${origin}/acs/method/${method}` };
  }
}
