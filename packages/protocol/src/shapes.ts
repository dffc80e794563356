/** Building blocks of the API's schemas. */
import Type, { type TProperties, type TSchema } from "typebox";

export const strict = { additionalProperties: false } as const;

/** An object with exactly these properties. */
export const closed = <P extends TProperties>(properties: P, options: { $id?: string; description?: string } = {}) =>
  Type.Object(properties, { ...strict, ...options });

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** One of these strings. */
export const words = <V extends string[]>(values: readonly [...V], options: { description?: string } = {}) =>
  Type.Enum<V>(values, options);

export const id = (prefix: string, options: { description?: string } = {}) =>
  Type.String({ pattern: `^${prefix}_[0-9A-Za-z_]{1,80}$`, ...options });

export const UnixSeconds = Type.Integer({ description: "Unix time in seconds." });

/** The query parameters of a list of objects whose IDs have this prefix. */
export const listQuery = (prefix: string) =>
  closed({
    limit: Type.Optional(
      Type.String({
        pattern: "^([1-9]|[1-9][0-9]|100)$",
        description: "Number of objects to return, from 1 to 100. Defaults to 10.",
      }),
    ),
    starting_after: Type.Optional(
      id(prefix, { description: "An object's ID. Returns the page of older objects that follows this object." }),
    ),
    ending_before: Type.Optional(
      id(prefix, { description: "An object's ID. Returns the page of newer objects that precedes this object." }),
    ),
  });
