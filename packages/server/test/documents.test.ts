/** Tests an application's documents: which files are accepted, what is stored, and who can download them. */
import { syncBuiltinESMExports } from "node:module";
import zlib, { deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  maxDocumentBytes,
  maxDocuments,
  maxDocumentsBytes,
  type DocumentType,
} from "@oriel/protocol/dashboard/underwriting";
import { labelOf } from "../src/merchants/underwriting/documents.ts";
import { readDocument } from "../src/merchants/underwriting/read-document.ts";
import { auditOf, refusalOf } from "./setup/dashboard-errors.ts";
import { newColleague, newOperator, newVisitor, type Visitor } from "./setup/dashboard-visitor.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { html, jpeg, jpegSegment, objectStream, pdf, png, pngChunk, svg, zip } from "./setup/test-documents.ts";
import { startTestService, type TestService } from "./setup/test-service.ts";

const secret = "Ann Weaver, 52.5200 N 13.4050 E";
const [asPdf, asPng, asJpeg] = ["application/pdf", "image/png", "image/jpeg"] as const;
const after = (bytes: Buffer, more: Buffer | string) => Buffer.concat([bytes, Buffer.from(more)]);
const before = (more: Buffer | string, bytes: Buffer) => Buffer.concat([Buffer.from(more), bytes]);
const withByte = (bytes: Buffer, at: number, value: number) => {
  const other = Buffer.from(bytes);
  other[at] = value;
  return other;
};

/** Exif data with the make and the orientation, or only with the latter if there is no make. */
function exifOf(order: "II" | "MM", orientation: number, make = ""): Buffer {
  const numbers = (size: 2 | 4, ...values: number[]) => {
    const bytes = Buffer.alloc(size * values.length);
    for (const [i, value] of values.entries())
      if (order === "II") bytes.writeUIntLE(value, i * size, size);
      else bytes.writeUIntBE(value, i * size, size);
    return bytes;
  };
  const entries = make === "" ? 1 : 2;
  const end = 8 + 2 + 12 * entries + 4;
  return Buffer.concat([
    Buffer.from(order),
    numbers(2, 42),
    numbers(4, 8),
    numbers(2, entries),
    ...(make === "" ? [] : [numbers(2, 0x010f, 2), numbers(4, make.length, end)]),
    numbers(2, 0x0112, 3),
    numbers(4, 1),
    numbers(2, orientation, 0),
    numbers(4, 0),
    Buffer.from(make),
  ]);
}

describe("an accepted document", () => {
  it.each<[string, DocumentType, Buffer]>([
    ["a PDF", asPdf, pdf()],
    ["a PDF with text that resembles actions", asPdf, pdf("% JavaScript, Launch /JSON /LaunchDate /JS\n")],
    ["a PDF with compressed objects", asPdf, pdf(objectStream("3 0 <</Type/Page>>"))],
    [
      "a PDF with a compressed picture next to compressed objects",
      asPdf,
      pdf(
        Buffer.concat([
          objectStream("3 0 <<>>"),
          Buffer.from("4 0 obj\n<</Filter/DCTDecode>>\nstream\n\xff\xd8\nendstream\nendobj\n", "latin1"),
        ]),
      ),
    ],
    ["a PNG", asPng, png()],
    ["a JPEG", asJpeg, jpeg()],
    ["a JPEG with fill bytes between its segments", asJpeg, jpeg([Buffer.from([0xff, 0xff])])],
  ])("is stored unchanged: %s", (_, type, bytes) => {
    const reading = readDocument(bytes, type);
    expect(reading).toEqual({ content: type === asJpeg ? jpeg() : bytes });
  });

  it.each<[string, Buffer]>([
    ["text", pngChunk("tEXt", `Author\0${secret}`)],
    ["packed text", pngChunk("zTXt", `Comment\0${secret}`)],
    ["XMP", pngChunk("iTXt", `XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta>${secret}</x:xmpmeta>`)],
    ["EXIF", pngChunk("eXIf", secret)],
    ["a time", pngChunk("tIME", "1234567")],
    ["a color profile", pngChunk("iCCP", secret)],
    ["a second picture", pngChunk("fdAT", secret)],
    ["a private chunk", pngChunk("anNx", secret)],
  ])("is stripped of %s if it is a PNG", (_, chunk) => {
    expect(readDocument(png([chunk]), asPng)).toEqual({ content: png() });
  });

  it("keeps the chunks that affect its appearance if it is a PNG", () => {
    const bytes = png([pngChunk("gAMA", "1234"), pngChunk("pHYs", "123456789"), pngChunk("tRNS", "12")]);
    expect(readDocument(bytes, asPng)).toEqual({ content: bytes });
  });

  it.each<[string, Buffer]>([
    ["EXIF", jpegSegment(0xe1, `Exif\0\0${secret}`)],
    ["XMP", jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${secret}`)],
    ["IPTC", jpegSegment(0xed, `Photoshop 3.0\0${secret}`)],
    ["a color profile", jpegSegment(0xe2, `ICC_PROFILE\0${secret}`)],
    ["a comment", jpegSegment(0xfe, secret)],
    ["a thumbnail", jpegSegment(0xe0, `JFXX\0${secret}`)],
    ["an oversized JFIF header", jpegSegment(0xe0, `JFIF\0${secret}`)],
    ["an oversized color note", jpegSegment(0xee, `Adobe${secret}`)],
  ])("is stripped of %s if it is a JPEG", (_, segment) => {
    expect(readDocument(jpeg([segment]), asJpeg)).toEqual({ content: jpeg() });
  });

  it.each<[string, Buffer | string]>([
    ["a video", Buffer.from("\0\0\0\x18ftypmp42", "latin1")],
    ["another picture", jpeg()],
    ["padding", "\0"],
    ["a web page", html],
    ["an archive", zip()],
  ])("is stripped of %s behind its picture", (_, more) => {
    expect(readDocument(after(jpeg(), more), asJpeg)).toEqual({ content: jpeg() });
    expect(readDocument(after(png(), more), asPng)).toEqual({ content: png() });
  });

  it.each(["II", "MM"] as const)("keeps its orientation and nothing else of its Exif data (%s)", (order) => {
    const exif = exifOf(order, 6, secret);
    const expected = exifOf("MM", 6);
    const asSegment = (data: Buffer) => jpegSegment(0xe1, before("Exif\0\0", data));
    expect(readDocument(jpeg([asSegment(exif)]), asJpeg)).toEqual({ content: jpeg([asSegment(expected)]) });
    expect(readDocument(png([pngChunk("eXIf", exif)]), asPng)).toEqual({ content: png([pngChunk("eXIf", expected)]) });
  });

  it.each([
    ["upright", exifOf("MM", 1)],
    ["an impossible value", exifOf("MM", 9)],
    ["a directory behind the end", Buffer.from("MM\0*\xff\xff\xff\xff", "latin1")],
    ["a directory that is cut off", exifOf("MM", 6).subarray(0, 20)],
    ["nothing", Buffer.alloc(0)],
  ])("is stripped of all Exif data if the orientation is %s", (_, exif) => {
    expect(readDocument(jpeg([jpegSegment(0xe1, before("Exif\0\0", exif))]), asJpeg)).toEqual({ content: jpeg() });
  });

  it("keeps its color profile if it is a JPEG", () => {
    const bytes = jpeg([jpegSegment(0xee, "Adobe1234567")]);
    expect(readDocument(bytes, asJpeg)).toEqual({ content: bytes });
  });
});

const emptyBlock = Buffer.from([0, 0, 0, 0xff, 0xff]);
/** A stream of empty blocks: megabytes of input that decompress to nothing. */
const ofEmptyBlocks = Buffer.concat([
  Buffer.from("9 0 obj\n<</Type/ObjStm>>\nstream\nx\x01"),
  Buffer.alloc(emptyBlock.length * 600_000, emptyBlock),
  Buffer.from([1, 0, 0, 0xff, 0xff, 0, 0, 0, 1]),
]);

/** Nests streams, each of which expands to megabytes before its checksum turns out to be wrong. */
function nestedStreams(streams: number): Buffer {
  const next = Buffer.from("/ObjStm obj\nstream\nx\x01");
  const stored = Buffer.from([0, next.length, 0, ~next.length & 0xff, 0xff]);
  const layers = Array<Buffer>(streams).fill(Buffer.concat([stored, next]));
  return pdf(Buffer.concat([next, ...layers, deflateRawSync(Buffer.alloc(19_000_000)), Buffer.alloc(4)]));
}

const refused: [string, DocumentType, Buffer, string][] = [
  ["nothing", asPdf, Buffer.alloc(0), "isn't a PDF, PNG or JPEG file"],
  ["a web page", asPdf, html, "isn't a PDF, PNG or JPEG file"],
  ["an SVG", asPng, svg, "isn't a PDF, PNG or JPEG file"],
  ["an archive", asPdf, zip(), "isn't a PDF, PNG or JPEG file"],
  ["a GIF", asPng, Buffer.from("GIF89a"), "isn't a PDF, PNG or JPEG file"],
  ["a PDF behind something", asPdf, before("\n", pdf()), "isn't a PDF, PNG or JPEG file"],
  ["a web page in front of a PDF", asPdf, before(html, pdf()), "isn't a PDF, PNG or JPEG file"],
  ["a web page in front of a PNG", asPng, before(html, png()), "isn't a PDF, PNG or JPEG file"],
  ["a PNG that is called a JPEG", asJpeg, png(), "was sent as image/jpeg but is image/png"],
  ["a PDF that is called a PNG", asPng, pdf(), "was sent as image/png but is application/pdf"],
  ["a JPEG that is called a PDF", asPdf, jpeg(), "was sent as application/pdf but is image/jpeg"],

  ["a PNG's beginning", asPng, png().subarray(0, 8), "is incomplete"],
  ["a PNG without its end", asPng, png().subarray(0, -12), "is incomplete"],
  ["a PNG with a cut end", asPng, png().subarray(0, -1), "is incomplete"],
  [
    "a PNG with an archive within its picture",
    asPng,
    png([pngChunk("IDAT", zip())]),
    "can also be read as a ZIP archive",
  ],
  [
    "a PNG with a script inside its picture",
    asPng,
    png([pngChunk("IDAT", "<script>1</script>")]),
    "can also be read as a web page",
  ],
  ["a PNG with a wrong checksum", asPng, withByte(png(), 45, 7), "is damaged"],
  [
    "a PNG without picture data",
    asPng,
    Buffer.from(
      png()
        .toString("latin1")
        .replace(/....IDAT.*(?=....IEND)/s, ""),
      "latin1",
    ),
    "contains no image",
  ],
  ["a PNG with a chunk that must be understood and is not", asPng, png([pngChunk("ABCD")]), "isn't a readable PNG"],
  ["a PNG with two headers", asPng, png([pngChunk("IHDR", "1234567890123")]), "isn't a readable PNG"],
  ["a PNG of more chunks than pictures have", asPng, png(Array(20_000).fill(pngChunk("tEXt"))), "isn't a readable PNG"],
  ["a PNG of forty billion pixels", asPng, png([], { size: 200_000 }), "is empty or larger than 100 megapixels"],
  ["a PNG of no pixels", asPng, png([], { size: 0 }), "is empty or larger than 100 megapixels"],

  ["a JPEG's beginning", asJpeg, jpeg().subarray(0, 4), "is incomplete"],
  ["a JPEG without its end", asJpeg, jpeg().subarray(0, -2), "is incomplete"],
  [
    "a JPEG followed by an archive whose comment is its end",
    asJpeg,
    jpeg([], { inScan: zip(Buffer.from([0xff, 0xd9])).subarray(0, -2) }),
    "can also be read as a ZIP archive",
  ],
  ["a JPEG with a script within its picture", asJpeg, jpeg([], { inScan: html }), "can also be read as a web page"],
  [
    "a JPEG with a segment longer than the file",
    asJpeg,
    jpeg([Buffer.from([0xff, 0xe1, 0xff, 0xff])]),
    "is incomplete",
  ],
  ["a JPEG with a segment of no length", asJpeg, jpeg([Buffer.from([0xff, 0xe1, 0, 0])]), "is incomplete"],
  ["a JPEG with a segment that is none", asJpeg, jpeg([jpegSegment(0x01)]), "isn't a readable JPEG"],
  [
    "a JPEG with two frames",
    asJpeg,
    jpeg([jpegSegment(0xc0, Buffer.from([8, 0, 1, 0, 1, 1, 1, 0x11, 0]))]),
    "isn't a readable JPEG",
  ],
  [
    "a JPEG of more segments than pictures have",
    asJpeg,
    jpeg(Array(10_000).fill(jpegSegment(0xfe))),
    "isn't a readable JPEG",
  ],
  [
    "a JPEG of more tables than pictures have",
    asJpeg,
    jpeg(Array(10_000).fill(jpegSegment(0xdd))),
    "isn't a readable JPEG",
  ],
  [
    "a JPEG of four billion pixels",
    asJpeg,
    withByte(withByte(jpeg(), 25, 0xff), 27, 0xff),
    "is empty or larger than 100 megapixels",
  ],

  ["a PDF of a version that is none", asPdf, after(Buffer.from("%PDF-x"), pdf()), "isn't a readable PDF"],
  ["a PDF without its end", asPdf, pdf().subarray(0, -7), "isn't a readable PDF because its end is missing"],
  [
    "a PDF with its end marker too early",
    asPdf,
    after(pdf(), " ".repeat(2000)),
    "isn't a readable PDF because its end is missing",
  ],
  ["a PDF with a web page behind it", asPdf, after(pdf(), html), "has extra data after the end of the PDF"],
  ["a PDF with an archive behind it", asPdf, after(pdf(), zip()), "has extra data after the end of the PDF"],
  ["a PDF with an archive behind it and an end behind that", asPdf, pdf(zip()), "can also be read as a ZIP archive"],
  ["a PDF with a web page within", asPdf, pdf("%<html><script>\n"), "can also be read as a web page"],
  ["a PDF with an SVG within", asPdf, pdf(svg), "can also be read as a web page"],
  [
    "a password-protected PDF",
    asPdf,
    pdf("trailer <</Encrypt 5 0 R>>"),
    "is encrypted, so it can't be checked. Save it without a password",
  ],
  [
    "a PDF with doubly compressed objects",
    asPdf,
    pdf(
      Buffer.from(
        "9 0 obj\n<</Type/ObjStm/N 1/First 4/Filter[/ASCIIHexDecode/FlateDecode]>>\nstream\n78da\nendstream\nendobj\n",
      ),
    ),
    "can't be checked",
  ],
  [
    "a PDF with corrupt compressed objects",
    asPdf,
    pdf("9 0 obj\n<</Type/ObjStm/N 1/First 4/Filter/FlateDecode>>\nstream\nx\x01damaged\nendstream\nendobj\n"),
    "isn't a readable PDF",
  ],
  [
    "a PDF with corrupt data next to compressed objects",
    asPdf,
    pdf(
      Buffer.concat([
        objectStream("3 0 <<>>"),
        Buffer.from("4 0 obj\n<<>>\nstream\nx\x01damaged\nendstream\nendobj\n"),
      ]),
    ),
    "isn't a readable PDF",
  ],
  ["a PDF whose objects unpack without end", asPdf, pdf(objectStream("0".repeat(30_000_000))), "can't be checked"],
  ["a PDF whose objects are packed without end", asPdf, pdf(ofEmptyBlocks), "can't be checked"],
  ["a PDF of more streams than papers have", asPdf, pdf("stream\n".repeat(1_001)), "can't be checked"],
];
const acts = [
  ["a script", "<</S/JavaScript/JS(app.alert(1))>>"],
  ["a script's name", "<</Names<</JavaScript 5 0 R>>>>"],
  ["a script in hexadecimal", "<</JS <616263>>>"],
  ["a script in another object", "<</S/Rendition/JS 7 0 R>>"],
  ["a script with an escaped name", "<</S/J#61v#61Script>>"],
  ["a program", "<</S/Launch/F(cmd.exe)>>"],
  ["a file", "<</Type/EmbeddedFile>>"],
  ["files", "<</Names<</EmbeddedFiles 5 0 R>>>>"],
  ["a film", "<</Subtype/RichMedia>>"],
  ["an XFA form", "<</XFA 5 0 R>>"],
  ["a form that submits data", "<</S/SubmitForm>>"],
  ["a link to other files", "<</S/GoToE>>"],
] as const;
const acting = "contains scripts, forms or embedded files. Print it to a new PDF";
for (const [what, object] of acts) {
  refused.push([`a PDF with ${what}`, asPdf, pdf(`5 0 obj\n${object}\nendobj\n`), acting]);
  refused.push([`a PDF with ${what} among compressed objects`, asPdf, pdf(objectStream(`5 0 ${object}`)), acting]);
}
const untyped = objectStream("5 0 <</S/JavaScript>>", "/Type 7 0 R/N 1/First 4/Filter/FlateDecode");
refused.push(["a PDF with a script in compressed objects that don't declare their type", asPdf, pdf(untyped), acting]);

describe("refused documents", () => {
  it.each(refused)("include %s", (_, type, bytes, fault) => {
    expect(readDocument(bytes, type)).toEqual({ fault });
  });

  it("include a PDF with many nested streams, which is refused at the first corrupt one", () => {
    const bytes = nestedStreams(200);
    const inflate = vi.spyOn(zlib, "inflateSync");
    syncBuiltinESMExports();
    try {
      expect(readDocument(bytes, asPdf)).toEqual({ fault: "isn't a readable PDF" });
      expect(inflate).toHaveBeenCalledTimes(1);
    } finally {
      inflate.mockRestore();
      syncBuiltinESMExports();
    }
  });
});

/** Parsing any of these repeatedly would take minutes and hit the test's time limit. */
describe("a document of the largest allowed size", () => {
  const accepted = { content: expect.any(Buffer) as Buffer };
  const filledWith = (text: string) => pdf(text.repeat(maxDocumentBytes / text.length));
  it.each<[string, DocumentType, () => Buffer, ReturnType<typeof readDocument>]>([
    ["names of scripts", asPdf, () => pdf(`${"/JS ".repeat(2_500_000)}stream\n`), accepted],
    ["streams", asPdf, () => filledWith("stream\n"), { fault: "can't be checked" }],
    ["objects with streams", asPdf, () => filledWith("obj<</N/First>>stream\n"), { fault: "can't be checked" }],
    ["letters by their numbers", asPdf, () => filledWith("#4a"), accepted],
    ["beginnings of its end", asPdf, () => filledWith("startxref\n1\n"), accepted],
    ["beginnings of a web page", asPdf, () => filledWith("<html"), accepted],
    ["ends", asPdf, () => filledWith("%%EOF\n"), accepted],
    ["chunks", asPng, () => png(Array(100_000).fill(pngChunk("tEXt"))), { fault: "isn't a readable PNG" }],
    ["padding", asJpeg, () => jpeg([], { inScan: Buffer.alloc(maxDocumentBytes, 0xff) }), accepted],
  ])("is parsed completely when it contains %s", (_, type, build, reading) => {
    expect(readDocument(build(), type)).toEqual(reading);
  });
});

describe("a document's name", () => {
  it.each([
    ["Trade register.pdf", "Trade register.pdf"],
    ["C:\\papers\\excerpt.pdf", "excerpt.pdf"],
    ["../../etc/passwd", "passwd"],
    ["a\r\nSet-Cookie: b=c.pdf", "aSet-Cookie: b=c.pdf"],
    ["gp\u202efdp.exe", "gpfdp.exe"],
    ["\u2066a\u2069\u200b\ufeff\u0007\u009b.pdf", "a.pdf"],
    ["  \t ", "document"],
    ["a/", "document"],
    ["日本語.pdf", "日本語.pdf"],
    ["x".repeat(300), "x".repeat(100)],
    ["😀".repeat(150), "😀".repeat(100)],
    ['"><img src=x onerror=alert(1)>', '"><img src=x onerror=alert(1)>'],
  ])("turns %j into %j", (name, label) => {
    expect(labelOf(name)).toBe(label);
  });
});

describe("documents over HTTP", () => {
  let service: TestService;
  let operator: Visitor;
  let owner: Visitor;
  beforeAll(async () => {
    service = await startTestService();
    operator = await newOperator(service);
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    owner = await withDraft();
  });

  const at = (visitor: Visitor, path = "") => `/data/${visitor.accountId}/test/application/documents${path}`;
  const upload = (
    visitor: Visitor,
    bytes: Buffer,
    type: string = asPdf,
    name = "Register.pdf",
    kind = "registration",
  ) =>
    visitor.call("POST", `${at(visitor)}?kind=${kind}&name=${encodeURIComponent(name)}`, bytes, {
      "content-type": type,
    });
  const idOf = async (visitor: Visitor, bytes: Buffer, type: string = asPdf) =>
    String((await upload(visitor, bytes, type)).body["id"]);

  /** Downloads a document as raw bytes, because a visitor's calls return text. */
  async function download(visitor: Visitor, path: string) {
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const { host } = new URL(service.config.dashboardOrigin);
    const { statusCode, headers, rawPayload } = await service.app.inject({ url: path, headers: { host, cookie } });
    return { status: statusCode, headers, content: rawPayload };
  }

  it("are downloaded byte for byte as an untyped file with a name that the service generates", async () => {
    const bytes = pdf();
    const added = await upload(owner, bytes, asPdf, 'x"; filename="evil.html', "identity");
    expect(added.body).toEqual({
      id: expect.stringMatching(/^doc_[0-9a-z]{33}$/),
      kind: "identity",
      name: 'x"; filename="evil.html',
      type: asPdf,
      size: bytes.length,
      created: expect.any(Number),
    });
    const id = String(added.body["id"]);
    const { status, headers, content } = await download(owner, at(owner, `/${id}`));
    expect([status, content.equals(bytes)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="${id}.pdf"`,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
  });

  it("are encrypted with their names, and pictures are stored without metadata", async () => {
    const id = await idOf(owner, jpeg([jpegSegment(0xe1, `Exif\0\0${secret}`)]), asJpeg);
    expect((await download(owner, at(owner, `/${id}`))).content).toEqual(jpeg());
    const named = await upload(owner, pdf(`% ${secret}\n`), asPdf, "Passport of Ann Weaver.pdf");
    expect(named.status).toBe(200);
    const dump = await dumpDatabase(service.context.db);
    for (const text of [
      "Ann Weaver",
      Buffer.from(secret).toString("hex"),
      jpeg().toString("hex"),
      jpeg().toString("base64"),
    ])
      expect(dump).not.toContain(text);
    expect(service.log.join("")).not.toContain("Ann Weaver");
  });

  it("are refused when the content, content type, kind or name is invalid, and nothing is stored", async () => {
    const refusals: [Buffer, string, string][] = [
      [html, asPdf, "400 parameter_invalid document"],
      [svg, asPng, "400 parameter_invalid document"],
      [zip(), asPdf, "400 parameter_invalid document"],
      [png([pngChunk("IDAT", zip())]), asPng, "400 parameter_invalid document"],
      [Buffer.alloc(0), asPdf, "400 parameter_invalid document"],
      [svg, "image/svg+xml", "400 content_type_unsupported"],
      [html, "text/html", "400 content_type_unsupported"],
      [Buffer.from("{}"), "application/json", "400 content_type_unsupported"],
      [pdf(), "multipart/form-data; boundary=x", "400 content_type_unsupported"],
      [pdf(), "text/plain", "400 content_type_unsupported"],
      [pdf(), "application/pdf+x", "400 content_type_unsupported"],
    ];
    for (const [bytes, type, refusal] of refusals) expect(refusalOf(await upload(owner, bytes, type))).toBe(refusal);
    expect(refusalOf(await upload(owner, pdf(), asPdf, "a", "passport"))).toBe("400 parameter_invalid kind");
    expect(refusalOf(await upload(owner, pdf(), asPdf, ""))).toBe("400 parameter_invalid name");
    expect(refusalOf(await owner.call("POST", `${at(owner)}?kind=other`, pdf(), { "content-type": asPdf }))).toBe(
      "400 parameter_missing name",
    );
    expect(refusalOf(await owner.call("POST", `${at(owner)}?kind=other&name=a`))).toMatch(/^400 /);
    expect((await owner.inWorkspace("GET", "application")).body["application"]?.["documents"]).toEqual([]);
  });

  it("may have up to ten megabytes each and 50 in total", async () => {
    const filler = (length: number) => Buffer.alloc(length, "%\n");
    const largest = pdf(filler(maxDocumentBytes - pdf().length));
    expect(largest.length).toBe(maxDocumentBytes);
    const tooLarge = pdf(filler(maxDocumentBytes - pdf().length + 1));
    expect(refusalOf(await upload(owner, tooLarge))).toBe("400 body_too_large");
    const { body } = await upload(owner, largest);
    expect(body).toMatchObject({ size: maxDocumentBytes });
    // Uploading four more of that size would take too long.
    const { db } = service.context;
    const size = maxDocumentsBytes - pdf().length + 1;
    const id = String(body["id"]);
    await db.updateTable("application_document").set({ size }).where("id", "=", id).execute();
    expect(refusalOf(await upload(owner, pdf()))).toBe("400 parameter_invalid document");
    expect((await owner.call("DELETE", at(owner, `/${id}`))).status).toBe(200);
    expect((await upload(owner, pdf())).status).toBe(200);
  });

  it("are limited to twenty, even with concurrent uploads", async () => {
    const responses = await Promise.all(
      Array.from({ length: maxDocuments + 5 }, (_, i) => upload(owner, png(), asPng, `${i}.png`)),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(maxDocuments);
    expect(responses.filter(({ status }) => status !== 200).map(refusalOf)).toEqual(
      Array(5).fill("400 parameter_invalid document"),
    );
  });

  it("aren't added again if the response to an upload was lost", async () => {
    const retries = await Promise.all(Array.from({ length: 3 }, () => upload(owner, pdf())));
    expect(retries.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [first] = retries.map(({ body }) => body);
    expect(retries.map(({ body }) => body)).toEqual([first, first, first]);
    const others = [
      await upload(owner, pdf("% changed\n")),
      await upload(owner, pdf(), asPdf, "Another.pdf"),
      await upload(owner, pdf(), asPdf, "Register.pdf", "other"),
    ];
    const ids = [first, ...others.map(({ body }) => body)].map((document) => document?.["id"]);
    expect(new Set(ids).size).toBe(4);
    const application = (await owner.inWorkspace("GET", "application")).body["application"];
    expect(application?.["documents"]).toMatchObject(ids.map((id) => ({ id })));
    const audit = await auditOf(service, owner.accountId);
    expect(audit.filter((entry) => entry.startsWith("application.document_added"))).toHaveLength(4);
  });

  it("are rate limited per account, and excess uploads are refused without being read", async () => {
    const responses = await Promise.all(Array.from({ length: 60 }, () => upload(owner, html, "text/html")));
    expect(new Set(responses.map(refusalOf))).toEqual(new Set(["400 content_type_unsupported", "429 rate_limited"]));
    expect((await upload(await withDraft(), pdf())).status).toBe(200); // another account's upload
  });

  it("return 404 for another account, for other team members, and for an operator before submission", async () => {
    const id = await idOf(owner, pdf());
    const stranger = await withDraft();
    expect(refusalOf(await stranger.call("GET", at(stranger, `/${id}`)))).toBe("404 resource_missing");
    expect(refusalOf(await stranger.call("DELETE", at(stranger, `/${id}`)))).toBe("404 resource_missing");
    expect(refusalOf(await stranger.call("GET", at(owner, `/${id}`)))).toBe("404 resource_missing");
    expect(refusalOf(await upload({ ...stranger, accountId: owner.accountId }, pdf()))).toBe("404 resource_missing");
    const developer = await newColleague(service, owner, "developer");
    expect(refusalOf(await developer.call("GET", at(owner, `/${id}`)))).toBe("403 permission_missing");
    expect(refusalOf(await upload(developer, pdf()))).toBe("403 permission_missing");
    const application = (await owner.inWorkspace("GET", "application")).body["application"];
    const path = `/operator/applications/${String(application?.["id"])}/documents/${id}`;
    expect(refusalOf(await operator.call("GET", path))).toBe("404 resource_missing");
    expect(refusalOf(await owner.call("GET", path))).toBe("404 resource_missing");
    expect(refusalOf(await upload(owner, pdf(), asPdf, "a", "other"))).toBe("200");
  });

  it("can be uploaded only from the dashboard's own page", async () => {
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const path = `${at(owner)}?kind=other&name=a`;
      const response = await owner.call("POST", path, pdf(), { "content-type": asPdf, ...headers });
      expect(refusalOf(response)).toBe("403 cross_site");
    }
  });

  it("can be deleted by the owner with their content, and adding and deleting are audited without the file name", async () => {
    const id = await idOf(owner, pdf());
    expect((await owner.call("DELETE", at(owner, `/${id}`))).body).toEqual({ id, deleted: true });
    expect(refusalOf(await owner.call("GET", at(owner, `/${id}`)))).toBe("404 resource_missing");
    expect(refusalOf(await owner.call("DELETE", at(owner, `/${id}`)))).toBe("404 resource_missing");
    const { db } = service.context;
    const content = db.selectFrom("application_document_content").select("document_id").where("document_id", "=", id);
    expect(await content.execute()).toEqual([]);
    const by = `by login ${owner.email}`;
    const audited = await auditOf(service, owner.accountId);
    expect(audited).toContain(`application.document_added ${id} ${by}`);
    expect(audited).toContain(`application.document_deleted ${id} ${by}`);
  });

  it("can't be uploaded before the application exists", async () => {
    const visitor = await newVisitor(service);
    expect(refusalOf(await upload(visitor, pdf()))).toBe("409 not_possible_now");
  });

  async function withDraft(): Promise<Visitor> {
    const visitor = await newVisitor(service);
    const { status, text } = await visitor.inWorkspace("PUT", "application", {});
    if (status !== 200) throw new Error(`A draft: ${text}`);
    return visitor;
  }
});
