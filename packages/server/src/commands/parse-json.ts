/** What a text says, if it is JSON; null for what is not. What it holds is for a schema to say. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
