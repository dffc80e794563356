/**
 * A JPEG with what it needs to be seen and nothing else (ITU-T T.81, annex B): application segments, where EXIF, XMP,
 * places and thumbnails are, and comments are left out; of them only the plain JFIF header and Adobe's note of the
 * colours stay. Refused: segments that do not belong, more of them than a picture has, and anything behind the end.
 */
import type { Reading } from "./reading.ts";
import { hasSaneSize } from "./sane-size.ts";

const endOfImage = 0xd9;
const startOfScan = 0xda;
/** Kept or not. A picture has some dozens, and a scan of many passes some hundreds. */
const maxSegments = 10_000;

/** @param bytes begin with the start of an image */
export function stripJpeg(bytes: Buffer): Reading {
  const parts: Buffer[] = [bytes.subarray(0, 2)];
  let hasFrame = false;
  let hasScan = false;
  let at = 2;
  for (let segments = 1; ; segments++) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at++; // a marker may be filled up in front
    const marker = bytes[at + 1];
    if (bytes[at] !== 0xff || marker === undefined) return { fault: "ends in the middle" };
    if (marker === endOfImage) break;
    if (segments > maxSegments) return { fault: "is no JPEG that can be read" };
    if (at + 4 > bytes.length) return { fault: "ends in the middle" };
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end < at + 4 || end > bytes.length) return { fault: "ends in the middle" };
    const segment = bytes.subarray(at, end);
    const kind = kindOf(marker);
    if (kind === null) return { fault: "is no JPEG that can be read" };
    if (kind === "frame") {
      if (hasFrame || segment.length < 9) return { fault: "is no JPEG that can be read" };
      if (!hasSaneSize(segment.readUInt16BE(7), segment.readUInt16BE(5)))
        return { fault: "is a picture of an impossible size" };
      hasFrame = true;
    }
    if (kind !== "told" || isOfThePicture(segment)) parts.push(segment);
    at = end;
    if (marker !== startOfScan) continue;
    hasScan = true;
    const scanEnd = endOfScan(bytes, at);
    parts.push(bytes.subarray(at, scanEnd));
    at = scanEnd;
  }
  if (!hasFrame || !hasScan) return { fault: "is a picture without a picture" };
  if (at + 2 !== bytes.length) return { fault: "has something behind the picture's end" };
  return { content: Buffer.concat([...parts, bytes.subarray(at)]) };
}

/** `told`: about the picture, and not of it. */
function kindOf(marker: number): "frame" | "table" | "told" | null {
  if (marker === 0xfe || (marker >= 0xe0 && marker <= 0xef)) return "told";
  if (marker === 0xc4 || marker === 0xcc || (marker >= 0xda && marker <= 0xdd)) return "table";
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8 ? "frame" : null;
}

/**
 * The header of JFIF without its thumbnail, and how Adobe's programs wrote the colours: without it they come out wrong.
 */
function isOfThePicture(segment: Buffer): boolean {
  const [, marker] = segment;
  const begins = (text: string) => segment.subarray(4, 4 + text.length).equals(Buffer.from(text, "latin1"));
  return (
    (marker === 0xe0 && segment.length === 18 && begins("JFIF\0")) ||
    (marker === 0xee && segment.length === 16 && begins("Adobe"))
  );
}

/** The next marker that is neither a stuffed byte nor one of those that only count the parts of a scan; or the end. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at !== -1 && at + 1 < bytes.length) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7) && next !== 0xff) return at;
    at = bytes.indexOf(0xff, at + (next === 0xff ? 1 : 2));
  }
  return bytes.length;
}
