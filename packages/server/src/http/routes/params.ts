/** Schemas that several routes share. */
import Type from "typebox";

export const closed = { additionalProperties: false } as const;

/** An ID in a path. There may be no object with this ID. */
export const Id = Type.String({ minLength: 1, maxLength: 100 });

export const ById = Type.Object({ id: Id }, closed);
/** The tag of an account and mode in the URLs of 3-D Secure messages; see `ownerTag`. */
export const ByOwner = Type.Object({ owner: Id }, closed);
export const NoQuery = Type.Object({}, closed);

/** A body without parameters. Callers can omit it. */
export const Nothing = Type.Object({}, closed);
