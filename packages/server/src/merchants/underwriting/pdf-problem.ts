/**
 * Checks that a file is a PDF from the first byte to the last and runs no actions when it is opened (ISO 32000-2,
 * 12.6). Refuses scripts, programs, embedded files and forms that send data, and files that can't be inspected, such as
 * PDFs with a password. Decodes names as PDF readers do (`/J#61vaScript`), also in compressed object streams.
 *
 * This catches mistakes and simple attacks, but not everything that PDF allows. The actual protection is that people
 * download a document and open it in their own reader.
 */
import { inflateSync } from "node:zlib";

const activeContent = new RegExp(
  [
    "JavaScript",
    "Launch",
    "EmbeddedFile",
    "EmbeddedFiles",
    "RichMedia",
    "XFA",
    "ImportData",
    "SubmitForm",
    "GoToE",
    "GoToR",
  ]
    .map(nameAsRead)
    .join("|"),
);
/** Matches `/JS` only if a value follows, because these three bytes occur by chance in any large image. */
const script = new RegExp(`${nameAsRead("JS")}[\\s\\0]*(?:[(<]|[0-9]+\\s+[0-9]+\\s+R)`);
const encrypted = new RegExp(nameAsRead("Encrypt"));
/** An object stream, recognized by its type or by its two required entries, `/First` and `/N`. */
const objectStream = new RegExp(`${nameAsRead("ObjStm")}|^(?=[^]*${nameAsRead("First")})(?=[^]*${nameAsRead("N")})`);

/**
 * The limit on the total size of a file's unpacked object streams. Packed bytes count too, because streams can overlap
 * and contain very little.
 */
const maxUnpackedBytes = 20_000_000;
/** How many times longer a packed byte can take than an unpacked one. */
const weightOfPacked = 8;
/** Together with the limit above, this bounds how long the check takes. */
const maxStreams = 1_000;
const maxBytesAfterEnd = 1024;

/** Returns the end of a sentence that starts with "The document", or null. @param bytes start with `%PDF-` */
export function pdfProblem(bytes: Buffer): string | null {
  const raw = bytes.toString("latin1");
  if (!/^%PDF-[12]\.[0-9]/.test(raw)) return "isn't a readable PDF";
  const end = raw.lastIndexOf("%%EOF");
  if (end < raw.length - maxBytesAfterEnd || !/\bstartxref\s+[0-9]+\s*$/.test(raw.slice(0, end).slice(-100)))
    return "isn't a readable PDF because its end is missing";
  if (!/^[\s\0]*$/.test(raw.slice(end + 5))) return "has extra data after the end of the PDF";
  if (encrypted.test(raw)) return "is encrypted, so it can't be checked. Save it without a password";
  const packed = unpackObjects(bytes, raw);
  if (typeof packed === "string") return packed;
  return [raw, ...packed].some((part) => activeContent.test(part) || script.test(part))
    ? "contains scripts, forms or embedded files. Print it to a new PDF"
    : null;
}

/**
 * Returns a pattern for a name in PDF. Each character of a name can be written as its hex code (`#61`), and the name ends
 * before the first character that isn't a regular one.
 */
function nameAsRead(name: string): string {
  const letters = Array.from(name, (letter) => {
    const [high = "", low = ""] = letter.charCodeAt(0).toString(16);
    return `(?:${letter}|#${high}[${low}${low.toUpperCase()}])`;
  });
  return `/${letters.join("")}(?![A-Za-z0-9._#-])`;
}

/**
 * Unpacks the object streams. Returns the fault if they are too large, or if a stream is damaged or uses another
 * compression.
 */
function unpackObjects(bytes: Buffer, raw: string): string[] | string {
  const unpacked: string[] = [];
  let left = maxUnpackedBytes;
  let streams = 0;
  for (const { 0: keyword, index } of raw.matchAll(/\bstream\r?\n/g)) {
    if (++streams > maxStreams) return "can't be checked";
    const around = raw.slice(Math.max(0, index - 2000), index);
    if (!objectStream.test(around)) continue;
    const at = index + keyword.length;
    if (!isZlib(bytes, at)) {
      const own = around.slice(Math.max(0, around.lastIndexOf("obj")));
      if (objectStream.test(own)) return "can't be checked";
      continue; // `around` can include the previous object, such as an object stream before a JPEG image.
    }
    const stream = unpack(bytes.subarray(at), left);
    if (typeof stream === "string") return stream;
    left -= stream.cost;
    if (left <= 0) return "can't be checked";
    unpacked.push(stream.content.toString("latin1"));
  }
  return unpacked;
}

/** Recognizes zlib's two-byte header (RFC 1950, 2.2). The PDF's end comes after `at`, so the two bytes exist. */
function isZlib(bytes: Buffer, at: number): boolean {
  const head = bytes.readUInt16BE(at);
  return ((head >> 8) & 15) === 8 && head % 31 === 0;
}

/**
 * Unpacks one stream. A failure ends the whole check, because it can cost as much as a success.
 * @param bytes start with the stream; the bytes after it are ignored
 */
function unpack(bytes: Buffer, left: number): { content: Buffer; cost: number } | string {
  try {
    const readable = bytes.subarray(0, Math.floor(left / weightOfPacked));
    // The types lack the option `info`, which also returns how many bytes were read.
    const { buffer, engine } = inflateSync(readable, { maxOutputLength: left, info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return { content: buffer, cost: buffer.length + weightOfPacked * engine.bytesWritten };
  } catch (error) {
    // RangeError: too many bytes of output. Z_BUF_ERROR: the input ended before the stream did.
    const isTooLarge =
      error instanceof RangeError || (error instanceof Error && "code" in error && error.code === "Z_BUF_ERROR");
    return isTooLarge ? "can't be checked" : "isn't a readable PDF";
  }
}
