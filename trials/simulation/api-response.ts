/** The service's responses, whose JSON can have any shape. */
export type Json = Readonly<Record<string, unknown>>;

export interface ApiResponse {
  status: number;
  /** Empty if the body isn't a JSON object. */
  body: Json;
}

/** The text or number at a path of names. Undefined if there's none. */
export function textAt(json: Json | undefined, ...path: string[]): string | undefined {
  const found = at(json, path);
  return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
}

/** The object at a path of names. Undefined if there's none. */
export function objectAt(json: Json | undefined, ...path: string[]): Json | undefined {
  const found = at(json, path);
  return isObject(found) ? found : undefined;
}

/** The objects in the list `data`. */
export function dataOf(json: Json | undefined): Json[] {
  const data = json?.["data"];
  return Array.isArray(data) ? data.filter(isObject) : [];
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function at(json: Json | undefined, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), json);
}
