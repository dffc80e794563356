/**
 * Removes everything from a JPEG that isn't needed to display it (ITU-T T.81, annex B): comments and application
 * segments, which contain Exif, XMP, locations and thumbnails, and data after the end, where phones store videos and
 * further pictures. Only the plain JFIF header, Adobe's color information and the orientation stay. Refuses unknown
 * segments and too many segments.
 */
import type { DocumentResult } from "./document-result.ts";
import { onlyOrientation, orientationIn } from "./exif-orientation.ts";
import { hasReasonableSize } from "./image-size.ts";

const endOfImage = 0xd9;
const startOfScan = 0xda;
const jfifMarker = 0xe0;
const exifMarker = 0xe1;
/** Counts kept and removed segments. A typical image has a few dozen, and a progressive one a few hundred. */
const maxSegments = 10_000;
const exifName = Buffer.from("Exif\0\0", "latin1");

/** @param bytes start with a start-of-image marker */
export function stripJpeg(bytes: Buffer): DocumentResult {
  const parts: Buffer[] = [];
  let orientation: number | null = null;
  let hasFrame = false;
  let hasScan = false;
  let at = 2;
  for (let segments = 1; ; segments++) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at++; // a marker can have fill bytes before it
    const marker = bytes[at + 1];
    if (bytes[at] !== 0xff || marker === undefined) return { fault: "is incomplete" };
    if (marker === endOfImage) break;
    if (segments > maxSegments) return { fault: "isn't a readable JPEG" };
    if (at + 4 > bytes.length) return { fault: "is incomplete" };
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end < at + 4 || end > bytes.length) return { fault: "is incomplete" };
    const segment = bytes.subarray(at, end);
    const kind = kindOf(marker);
    if (kind === null) return { fault: "isn't a readable JPEG" };
    if (kind === "frame") {
      if (hasFrame || segment.length < 9) return { fault: "isn't a readable JPEG" };
      if (!hasReasonableSize(segment.readUInt16BE(7), segment.readUInt16BE(5)))
        return { fault: "is empty or larger than 100 megapixels" };
      hasFrame = true;
    }
    if (kind !== "metadata" || isNeededForDisplay(segment)) parts.push(segment);
    orientation ??= marker === exifMarker ? orientationOf(segment) : null;
    at = end;
    if (marker !== startOfScan) continue;
    hasScan = true;
    const scanEnd = endOfScan(bytes, at);
    parts.push(bytes.subarray(at, scanEnd));
    at = scanEnd;
  }
  if (!hasFrame || !hasScan) return { fault: "contains no image" };
  const start = bytes.subarray(0, 2);
  const end = bytes.subarray(at, at + 2);
  if (orientation === null) return { content: Buffer.concat([start, ...parts, end]) };
  // A JFIF header must come first.
  const header = parts[0]?.[1] === jfifMarker ? parts.splice(0, 1) : [];
  return { content: Buffer.concat([start, ...header, exifSegment(orientation), ...parts, end]) };
}

function orientationOf(segment: Buffer): number | null {
  const content = 4 + exifName.length;
  return segment.subarray(4, content).equals(exifName) ? orientationIn(segment.subarray(content)) : null;
}

function exifSegment(orientation: number): Buffer {
  const content = Buffer.concat([exifName, onlyOrientation(orientation)]);
  return Buffer.concat([Buffer.from([0xff, exifMarker, 0, content.length + 2]), content]);
}

/** Classifies a segment by its marker. Returns null for markers that don't belong in a file. */
function kindOf(marker: number): "frame" | "table" | "metadata" | null {
  if (marker === 0xfe || (marker >= 0xe0 && marker <= 0xef)) return "metadata";
  if (marker === 0xc4 || marker === 0xcc || (marker >= 0xda && marker <= 0xdd)) return "table";
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8 ? "frame" : null;
}

/** Recognizes a JFIF header without a thumbnail, and Adobe's color transform, without which the colors are wrong. */
function isNeededForDisplay(segment: Buffer): boolean {
  const [, marker] = segment;
  const begins = (text: string) => segment.subarray(4, 4 + text.length).equals(Buffer.from(text, "latin1"));
  return (
    (marker === jfifMarker && segment.length === 18 && begins("JFIF\0")) ||
    (marker === 0xee && segment.length === 16 && begins("Adobe"))
  );
}

/** Finds the next marker that isn't a stuffed byte or a restart marker, or the end of the bytes. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at !== -1 && at + 1 < bytes.length) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7) && next !== 0xff) return at;
    at = bytes.indexOf(0xff, at + (next === 0xff ? 1 : 2));
  }
  return bytes.length;
}
