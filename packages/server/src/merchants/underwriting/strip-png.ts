/**
 * A PNG with what it needs to be seen and nothing else (PNG specification, third edition): chunks that are not of the
 * picture, such as text, EXIF, times, colour profiles, animations and private ones, are left out. Refused: a wrong
 * length or checksum, chunks that must be understood and are not, more of them than a picture has, and anything behind
 * the end.
 */
import { crc32 } from "node:zlib";
import type { Reading } from "./reading.ts";
import { hasSaneSize } from "./sane-size.ts";

const kept = new Set(["IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "bKGD", "pHYs"]);
const signatureLength = 8;
/** Kept or not. Ten megabytes in the small pieces that are usual, of 8 kB, are some 1,300. */
const maxChunks = 20_000;

/** @param bytes begin with the signature */
export function stripPng(bytes: Buffer): Reading {
  const chunks: Buffer[] = [bytes.subarray(0, signatureLength)];
  const seen = new Set<string>();
  let at = signatureLength;
  for (let count = 1; !seen.has("IEND"); count++) {
    if (count > maxChunks) return { fault: "is no PNG that can be read" };
    if (at + 12 > bytes.length) return { fault: "ends in the middle" };
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length) return { fault: "ends in the middle" };
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(type)) return { fault: "is no PNG that can be read" };
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return { fault: "is damaged" };
    if (seen.size === 0) {
      const isHeader = type === "IHDR" && length === 13;
      if (!isHeader || !hasSaneSize(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12)))
        return { fault: "is a picture of an impossible size" };
    }
    const isOnce = type === "IHDR" || type === "PLTE";
    if (isOnce && seen.has(type)) return { fault: "is no PNG that can be read" };
    seen.add(type);
    if (kept.has(type)) chunks.push(bytes.subarray(at, end));
    // A capital first letter: whoever does not know the chunk cannot show the picture.
    else if (/^[A-Z]/.test(type)) return { fault: "is no PNG that can be read" };
    at = end;
  }
  if (!seen.has("IDAT")) return { fault: "is a picture without a picture" };
  if (at !== bytes.length) return { fault: "has something behind the picture's end" };
  return { content: Buffer.concat(chunks) };
}
