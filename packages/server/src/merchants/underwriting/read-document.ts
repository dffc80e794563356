/**
 * Determines a document's type by its content. The declared type is untrusted. It must match all bytes of the file, so
 * that no program can interpret the file as another type. Accepts PDF, PNG and JPEG, and removes metadata from images.
 *
 * This checks the structure and doesn't decode images: the service never displays a document, and downloads have no
 * type that a browser would display.
 */
import type { DocumentType } from "@oriel/protocol/dashboard/underwriting";
import type { DocumentResult } from "./document-result.ts";
import { pdfProblem } from "./pdf-problem.ts";
import { stripJpeg } from "./strip-jpeg.ts";
import { stripPng } from "./strip-png.ts";

/**
 * The start of the record at the end of a ZIP archive, including its disk number. Programs look for it anywhere in a
 * file.
 */
const endOfArchive = Buffer.from("PK\x05\x06\0\0\0\0", "latin1");
const webPage = /<(?:!doctype\s+html|html|script|svg|iframe|body)[\s>/]/i;

/** @param declared the content type that came with the bytes */
export function readDocument(bytes: Buffer, declared: DocumentType): DocumentResult {
  const actual = typeOf(bytes);
  if (actual === null) return { fault: "isn't a PDF, PNG or JPEG file" };
  if (actual !== declared) return { fault: `was sent as ${declared} but is ${actual}` };
  const reading = read(bytes, actual);
  if ("fault" in reading) return reading;
  if (reading.content.includes(endOfArchive)) return { fault: "can also be read as a ZIP archive" };
  if (webPage.test(reading.content.toString("latin1"))) return { fault: "can also be read as a web page" };
  return reading;
}

function read(bytes: Buffer, type: DocumentType): DocumentResult {
  switch (type) {
    case "application/pdf": {
      const fault = pdfProblem(bytes);
      return fault === null ? { content: bytes } : { fault };
    }
    case "image/png":
      return stripPng(bytes);
    case "image/jpeg":
      return stripJpeg(bytes);
  }
}

function typeOf(bytes: Buffer): DocumentType | null {
  if (bytes.subarray(0, 5).equals(Buffer.from("%PDF-"))) return "application/pdf";
  if (bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))) return "image/png";
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return "image/jpeg";
  return null;
}
