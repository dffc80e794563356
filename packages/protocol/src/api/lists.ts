/** Pages of objects. */
import Type from "typebox";
import { closed, id } from "../shapes.ts";

/** `{ object: "list", data, has_more }`. To get the next page, pass the last ID as `starting_after`. */
export interface List<T> {
  object: "list";
  data: T[];
  has_more: boolean;
}

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
