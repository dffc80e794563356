/** The bound of all that the ACS remembers: the newest ten thousand of each kind. */
const maxKept = 10_000;

/** Adds an entry to a map, and takes out the oldest where there are too many. `forget` hears of each of those. */
export function keepNewest<T>(
  map: Map<string, T>,
  key: string,
  value: T,
  forget: (oldest: T) => void = () => {},
): void {
  map.set(key, value);
  for (const [oldestKey, oldest] of map) {
    if (map.size <= maxKept) return;
    forget(oldest);
    map.delete(oldestKey);
  }
}
