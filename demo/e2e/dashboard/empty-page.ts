/** A document to upload: a PDF with one blank page. */
export const emptyPage = Buffer.from(
  [
    "%PDF-1.7",
    "1 0 obj",
    "<</Type/Catalog/Pages 2 0 R>>",
    "endobj",
    "2 0 obj",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "endobj",
    "3 0 obj",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>",
    "endobj",
    "trailer",
    "<</Root 1 0 R/Size 4>>",
    "startxref",
    "0",
    "%%EOF",
    "",
  ].join("\n"),
);
