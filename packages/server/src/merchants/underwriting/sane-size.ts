/** A picture larger than this fills the memory of whoever opens it, however small its file is. */
const maxPixels = 100_000_000;

export function hasSaneSize(width: number, height: number): boolean {
  return width > 0 && height > 0 && width * height <= maxPixels;
}
