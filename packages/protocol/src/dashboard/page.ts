/** The query parameters that request one page of a list in the dashboard. */
import Type from "typebox";

export const pageParams = {
  /** 1 to 100, default 25. */
  limit: Type.Optional(Type.String({ pattern: "^([1-9]|[1-9][0-9]|100)$" })),
  /** The last ID of the previous page, or its `cursor` if it has one. */
  starting_after: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
};
