/** Pages of objects. */

/** `{ object: "list", data, has_more }`. To get the next page, pass the last ID as `starting_after`. */
export interface List<T> {
  object: "list";
  data: T[];
  has_more: boolean;
}
