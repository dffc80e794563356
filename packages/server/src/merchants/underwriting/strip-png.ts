/**
 * Removes everything from a PNG that isn't needed to display it (PNG specification, third edition): text, Exif apart from
 * the orientation, times, color profiles, animations, private chunks, and data after the end. Refuses wrong lengths and
 * checksums, unknown critical chunks, and too many chunks.
 */
import { crc32 } from "node:zlib";
import type { DocumentResult } from "./document-result.ts";
import { onlyOrientation, orientationIn } from "./exif-orientation.ts";
import { hasReasonableSize } from "./image-size.ts";

const retained = new Set(["IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "bKGD", "pHYs"]);
const signatureLength = 8;
/** Counts kept and removed chunks. A file of 10 MB with chunks of 8 kB, a common size, has about 1,300. */
const maxChunks = 20_000;

/** @param bytes start with the PNG signature */
export function stripPng(bytes: Buffer): DocumentResult {
  const chunks: Buffer[] = [bytes.subarray(0, signatureLength)];
  const seen = new Set<string>();
  let orientation: number | null = null;
  let at = signatureLength;
  for (let count = 1; !seen.has("IEND"); count++) {
    if (count > maxChunks) return { fault: "isn't a readable PNG" };
    if (at + 12 > bytes.length) return { fault: "is incomplete" };
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length) return { fault: "is incomplete" };
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(type)) return { fault: "isn't a readable PNG" };
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return { fault: "is damaged" };
    if (seen.size === 0) {
      const isHeader = type === "IHDR" && length === 13;
      if (!isHeader || !hasReasonableSize(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12)))
        return { fault: "is empty or larger than 100 megapixels" };
    }
    const isOnce = type === "IHDR" || type === "PLTE";
    if (isOnce && seen.has(type)) return { fault: "isn't a readable PNG" };
    seen.add(type);
    if (retained.has(type)) chunks.push(bytes.subarray(at, end));
    // A capital first letter marks a critical chunk, which programs must know to display the image.
    else if (/^[A-Z]/.test(type)) return { fault: "isn't a readable PNG" };
    if (type === "eXIf") orientation ??= orientationIn(bytes.subarray(at + 8, end - 4));
    at = end;
  }
  if (!seen.has("IDAT")) return { fault: "contains no image" };
  if (orientation !== null) chunks.splice(2, 0, exifChunk(orientation)); // after the header
  return { content: Buffer.concat(chunks) };
}

function exifChunk(orientation: number): Buffer {
  const content = onlyOrientation(orientation);
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from("eXIf"), content, Buffer.alloc(4)]);
  chunk.writeUInt32BE(content.length, 0);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}
