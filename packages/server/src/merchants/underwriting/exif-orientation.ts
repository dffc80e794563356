/**
 * The orientation of a photo, which phones store instead of turning the pixels (Exif 3.0, tag 0x0112). Without it,
 * portraits lie on their side. Everything else in the Exif data, such as the place, isn't read.
 */

const orientationTag = 0x0112;
const typeShort = 3;

/**
 * @param tiff Exif data, which is a TIFF file without an image
 * @returns 2 to 8, or null if the image is upright or the data can't be read
 */
export function orientationIn(tiff: Buffer): number | null {
  if (tiff.length < 8) return null;
  const order = tiff.toString("latin1", 0, 4);
  if (order !== "II*\0" && order !== "MM\0*") return null;
  const read16 = (at: number) => (order === "II*\0" ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = order === "II*\0" ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return null;
  const first = directory + 2;
  const end = Math.min(first + 12 * read16(directory), tiff.length);
  for (let at = first; at + 12 <= end; at += 12) {
    if (read16(at) !== orientationTag) continue;
    const orientation = read16(at + 8);
    return read16(at + 2) === typeShort && orientation >= 2 && orientation <= 8 ? orientation : null;
  }
  return null;
}

/** Exif data with one directory, whose only entry is the orientation. */
export function onlyOrientation(orientation: number): Buffer {
  const entry = [0x01, 0x12, 0, typeShort, 0, 0, 0, 1, 0, orientation, 0, 0];
  return Buffer.from([0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1, ...entry, 0, 0, 0, 0]);
}
