/**
 * Checks JSON against the schemas of an OpenAPI 3.1 document, more strictly than the document does. Vendors' schemas
 * usually allow additional properties, so a misspelled field would be valid. Here it isn't:
 *
 * - An object has only the properties that its schema lists.
 * - If a map's schema lists known keys in an `anyOf`, as Adyen's `additionalData` does, the map has only those keys. Other
 *   maps, such as `metadata`, may have any key.
 * - The objects in a `oneOf` are told apart by `type`, which must be present.
 *
 * The bodies contain card numbers, so errors name only paths and the violated keywords, never values.
 */
import { readFileSync } from "node:fs";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";

/** An OpenAPI document, or a part of one. */
export type JsonObject = { [key: string]: unknown };

export interface StrictSchemas {
  /**
   * @param pointer - The JSON pointer of a schema in the document, not encoded for a URL.
   * @throws Error that names every violation
   */
  check(what: string, pointer: string, body: unknown): void;
}

export function readDocument(path: string): JsonObject {
  return asObject(JSON.parse(readFileSync(path, "utf8")));
}

export function strictSchemas(document: JsonObject): StrictSchemas {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, discriminator: true });
  ajv.addSchema(makeStrict(structuredClone(document)), "document");
  return {
    check(what, pointer, body) {
      const validate = ajv.getSchema(`document#${encodeURI(pointer)}`);
      if (validate === undefined) throw new Error(`Bug: the document has no schema at ${pointer}`);
      if (validate(body) === true) return;
      const violations = new Set((validate.errors ?? []).map(describeError));
      throw new Error(`${what} doesn't match the published description: ${[...violations].join(", ")}`);
    },
  };
}

/** The path of a part of the document, for {@link StrictSchemas.check}. */
export function pointerTo(...keys: string[]): string {
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Returns the part of the document at these keys, or undefined if there's none. */
export function partOf(document: unknown, ...keys: string[]): unknown {
  return keys.reduce((part, key) => (isObject(part) && Object.hasOwn(part, key) ? part[key] : undefined), document);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asObject(value: unknown): JsonObject {
  if (!isObject(value)) throw new Error("The document has something else where an object belongs.");
  return value;
}

/** The path of the violation, including the name of a property that isn't allowed, and the keyword. */
function describeError({ instancePath, keyword, params }: ErrorObject): string {
  const name: unknown = params["additionalProperty"] ?? params["missingProperty"] ?? params["propertyName"];
  return `${instancePath}${typeof name === "string" ? pointerTo(name) : ""} (${keyword})`;
}

/** Changes the document. */
function makeStrict(document: JsonObject): JsonObject {
  const resolve = (schema: unknown): JsonObject => {
    const ref = asObject(schema)["$ref"];
    if (typeof ref !== "string") return asObject(schema);
    return asObject(partOf(document, ...ref.slice("#/".length).split("/")));
  };
  const schemas = [...objectsIn(asObject(partOf(document, "components", "schemas")))];
  const combined = new Set(
    schemas.flatMap(({ allOf, anyOf }) => [allOf, anyOf].filter(Array.isArray).flat()).map(resolve),
  );
  for (const schema of schemas) {
    const { properties, additionalProperties, anyOf, oneOf } = schema;
    // Ajv's `discriminator` requires a `oneOf`, and doesn't support a mapping.
    if (isObject(schema["discriminator"])) delete schema["discriminator"];
    if (Array.isArray(oneOf)) {
      schema["discriminator"] = { propertyName: "type" };
      schema["type"] = "object";
      schema["required"] = ["type"];
    }
    if (isObject(properties) && additionalProperties === undefined && !combined.has(schema))
      schema["additionalProperties"] = false;
    if (isObject(additionalProperties) && Array.isArray(anyOf))
      schema["propertyNames"] = { enum: anyOf.flatMap((known) => Object.keys(asObject(resolve(known)["properties"]))) };
  }
  return document;
}

/** All objects in a JSON value, including itself. */
function* objectsIn(value: unknown): Generator<JsonObject> {
  if (isObject(value)) yield value;
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}
