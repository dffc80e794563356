/**
 * What a document is, by its content. Trusts nothing that came with it: what its sender calls it must be what its bytes
 * are, from the first to the last, so that no reader takes it for something else. Three kinds are taken, and pictures
 * lose what they say of how they were made.
 *
 * This looks at the structure and decodes no picture: nothing in the service ever shows a document, and whoever
 * downloads it gets a file of no type.
 */
import type { DocumentType } from "@oriel/protocol/dashboard-underwriting";
import { faultOfPdf } from "./fault-of-pdf.ts";
import type { Reading } from "./reading.ts";
import { stripJpeg } from "./strip-jpeg.ts";
import { stripPng } from "./strip-png.ts";

/**
 * A ZIP is found from its end: a record that begins so, with the number of its disk. It may stand in the midst of a
 * picture.
 */
const endOfArchive = Buffer.from("PK\x05\x06\0\0\0\0", "latin1");
const webPage = /<(?:!doctype\s+html|html|script|svg|iframe|body)[\s>/]/i;

/** @param declared the content type that came with the bytes */
export function readDocument(bytes: Buffer, declared: DocumentType): Reading {
  const actual = typeOf(bytes);
  if (actual === null) return { fault: "is no PDF, PNG or JPEG" };
  if (actual !== declared) return { fault: `was sent as ${declared} and is ${actual}` };
  const reading = read(bytes, actual);
  if ("fault" in reading) return reading;
  if (reading.content.includes(endOfArchive)) return { fault: "is an archive as well" };
  if (webPage.test(reading.content.toString("latin1"))) return { fault: "is a web page as well" };
  return reading;
}

function read(bytes: Buffer, type: DocumentType): Reading {
  switch (type) {
    case "application/pdf": {
      const fault = faultOfPdf(bytes);
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
