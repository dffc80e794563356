/** Schemas that several routes share. */
import Type from "typebox";

export const closed = { additionalProperties: false } as const;

/** An id as it may stand in an address; whether it names anything is another question. */
export const Id = Type.String({ minLength: 1, maxLength: 100 });

export const ById = Type.Object({ id: Id }, closed);
export const NoQuery = Type.Object({}, closed);

/** A body that asks for nothing more than the address says; it may as well be left out. */
export const Nothing = Type.Object({}, closed);
