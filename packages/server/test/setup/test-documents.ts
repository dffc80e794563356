/** Documents to upload: small real files, built by hand so that a test can insert errors. */
import { crc32, deflateSync } from "node:zlib";

const pngSignature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

export function pngChunk(type: string, data: Buffer | string = ""): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), Buffer.from(data)]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/**
 * One gray pixel and further chunks.
 * @param size as declared in the header
 */
export function png(more: Buffer[] = [], { size = 1 } = {}): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  const picture = pngChunk("IDAT", deflateSync(Buffer.from([0, 128])));
  return Buffer.concat([pngSignature, pngChunk("IHDR", header), ...more, picture, pngChunk("IEND")]);
}

export function jpegSegment(marker: number, data: Buffer | string = ""): Buffer {
  const bytes = Buffer.from(data);
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(bytes.length + 2, 2);
  return Buffer.concat([head, bytes]);
}

const jfif = jpegSegment(0xe0, Buffer.from("JFIF\0\x01\x01\0\0\x01\0\x01\0\0", "latin1"));
const frame = jpegSegment(0xc0, Buffer.from([8, 0, 1, 0, 1, 1, 1, 0x11, 0]));
const scan = Buffer.concat([
  jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
  Buffer.from([0x3f, 0xff, 0, 0x12, 0xff, 0xd0, 0x7f]),
]);
const endOfImage = Buffer.from([0xff, 0xd9]);

/** The structure of a JPEG, with empty tables. */
export function jpeg(more: Buffer[] = [], { inScan = Buffer.alloc(0) }: { inScan?: Buffer } = {}): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xd8]), jfif, ...more, frame, scan, inScan, endOfImage]);
}

/**
 * One empty page.
 * @param more additional objects, in PDF syntax
 */
export function pdf(more: string | Buffer = ""): Buffer {
  const head =
    "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n";
  const end = "trailer\n<</Root 1 0 R/Size 3>>\nstartxref\n9\n%%EOF\n";
  return Buffer.concat([Buffer.from(head), Buffer.from(more), Buffer.from(end)]);
}

/** A compressed object that contains other objects. */
export function objectStream(objects: string, dictionary = "/Type/ObjStm/N 1/First 4/Filter/FlateDecode"): Buffer {
  const packed = deflateSync(Buffer.from(objects));
  return Buffer.concat([
    Buffer.from(`9 0 obj\n<<${dictionary}/Length ${packed.length}>>\nstream\n`),
    packed,
    Buffer.from("\nendstream\nendobj\n"),
  ]);
}

/** An empty archive. `comment` comes at its end and belongs to it. */
export function zip(comment = Buffer.alloc(0)): Buffer {
  const end = Buffer.from(`PK\x05\x06${"\0".repeat(18)}`, "latin1");
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([end, comment]);
}

export const html = Buffer.from("<html><script>alert(1)</script></html>");
export const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
