/**
 * Whether a PDF is one that may be kept: a file that is a PDF from its first byte to its last, and does nothing when it
 * is opened (ISO 32000-2, 12.6: actions). Refused: scripts, programs and files within, forms that send; and what cannot
 * be looked into, such as a PDF under a password. Names are read as readers read them (`/J#61vaScript`), those in
 * compressed object streams too.
 *
 * It is a sieve for what is sent by mistake or cheaply: a PDF has more corners than a sieve has holes. What protects
 * whoever looks at a document is that it is downloaded as a file, and opened by a reader of their own.
 */
import { inflateSync } from "node:zlib";

const doing = new RegExp(
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
/** Only with what must follow it: three bytes alone stand in any long picture by chance. */
const script = new RegExp(`${nameAsRead("JS")}[\\s\\0]*(?:[(<]|[0-9]+\\s+[0-9]+\\s+R)`);
const encrypted = new RegExp(nameAsRead("Encrypt"));
/** An object stream, by its type, or by the two numbers that none is without. */
const objectStream = new RegExp(`${nameAsRead("ObjStm")}|^(?=[^]*${nameAsRead("First")})(?=[^]*${nameAsRead("N")})`);

/**
 * All object streams of a file together, unpacked. What is packed counts too: streams may lie within each other, and
 * hold nothing at great length.
 */
const maxUnpackedBytes = 20_000_000;
/** How much longer a packed byte may take than an unpacked one. */
const weightOfPacked = 8;
/** With the bound above it is what bounds how long this takes. */
const maxStreams = 1_000;
const howFarEndMayBe = 1024;

/** The rest of a sentence that begins with "The document"; null for nothing. @param bytes begin with `%PDF-` */
export function faultOfPdf(bytes: Buffer): string | null {
  const raw = bytes.toString("latin1");
  if (!/^%PDF-[12]\.[0-9]/.test(raw)) return "is no PDF that can be read";
  const end = raw.lastIndexOf("%%EOF");
  if (end < raw.length - howFarEndMayBe || !/\bstartxref\s+[0-9]+\s*$/.test(raw.slice(0, end).slice(-100)))
    return "is no PDF that can be read: its end is missing";
  if (!/^[\s\0]*$/.test(raw.slice(end + 5))) return "has something behind the PDF's end";
  if (encrypted.test(raw)) return "is under a password, so it cannot be looked into. Save it without one";
  const packed = unpackObjects(bytes, raw);
  if (typeof packed === "string") return packed;
  return [raw, ...packed].some((part) => doing.test(part) || script.test(part))
    ? "holds scripts, forms or other files. Print it into a new PDF"
    : null;
}

/**
 * For a pattern. Any character of a name may be written by its number, and it ends where anything but a regular one
 * comes.
 */
function nameAsRead(name: string): string {
  const letters = Array.from(name, (letter) => {
    const [high = "", low = ""] = letter.charCodeAt(0).toString(16);
    return `(?:${letter}|#${high}[${low}${low.toUpperCase()}])`;
  });
  return `/${letters.join("")}(?![A-Za-z0-9._#-])`;
}

/**
 * What is in the object streams; or the fault: there is more than anybody's papers have, or one that is damaged, or
 * packed in another way.
 */
function unpackObjects(bytes: Buffer, raw: string): string[] | string {
  const unpacked: string[] = [];
  let left = maxUnpackedBytes;
  let streams = 0;
  for (const { 0: keyword, index } of raw.matchAll(/\bstream\r?\n/g)) {
    if (++streams > maxStreams) return "cannot be looked into";
    const around = raw.slice(Math.max(0, index - 2000), index);
    if (!objectStream.test(around)) continue;
    const at = index + keyword.length;
    if (!isZlib(bytes, at)) {
      const own = around.slice(Math.max(0, around.lastIndexOf("obj")));
      if (objectStream.test(own)) return "cannot be looked into";
      continue; // What is not its own may stand around it: a picture behind an object stream is packed as pictures are.
    }
    const stream = unpack(bytes.subarray(at), left);
    if (typeof stream === "string") return stream;
    left -= stream.cost;
    if (left <= 0) return "cannot be looked into";
    unpacked.push(stream.content.toString("latin1"));
  }
  return unpacked;
}

/**
 * The two bytes that all that is packed so begins with (RFC 1950, 2.2). The PDF's end is behind `at`, so there are two.
 */
function isZlib(bytes: Buffer, at: number): boolean {
  const head = bytes.readUInt16BE(at);
  return ((head >> 8) & 15) === 8 && head % 31 === 0;
}

/**
 * What fails costs as much as what does not, so it ends the whole.
 * @param bytes begin with the stream; what is behind it is left alone
 */
function unpack(bytes: Buffer, left: number): { content: Buffer; cost: number } | string {
  try {
    const readable = bytes.subarray(0, Math.floor(left / weightOfPacked));
    // The types know nothing of `info`, with which it says as well how much it has read.
    const { buffer, engine } = inflateSync(readable, { maxOutputLength: left, info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return { content: buffer, cost: buffer.length + weightOfPacked * engine.bytesWritten };
  } catch (error) {
    // The one is said of the bytes that come out, the other of those that go in.
    const isTooLarge =
      error instanceof RangeError || (error instanceof Error && "code" in error && error.code === "Z_BUF_ERROR");
    return isTooLarge ? "cannot be looked into" : "is no PDF that can be read";
  }
}
