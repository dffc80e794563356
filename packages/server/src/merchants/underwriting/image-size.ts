/** A larger image could fill the memory of the computer that opens it, even if the file is small. */
const maxPixels = 100_000_000;

export function hasReasonableSize(width: number, height: number): boolean {
  return width > 0 && height > 0 && width * height <= maxPixels;
}
