/** A larger image would fill the memory of the computer that opens it, however small its file is. */
const maxPixels = 100_000_000;

export function hasSaneSize(width: number, height: number): boolean {
  return width > 0 && height > 0 && width * height <= maxPixels;
}
