/** Parses a text as JSON, and returns null if it isn't valid. Check the result against a schema. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
