/** Limits the ACS's memory to the newest ten thousand entries of each kind. */
const maxEntries = 10_000;

/** Adds an entry to a map and removes the oldest if there are too many. `forget` is called for each removed entry. */
export function addAndTrim<T>(
  map: Map<string, T>,
  key: string,
  value: T,
  forget: (oldest: T) => void = () => {},
): void {
  map.set(key, value);
  for (const [oldestKey, oldest] of map) {
    if (map.size <= maxEntries) return;
    forget(oldest);
    map.delete(oldestKey);
  }
}
