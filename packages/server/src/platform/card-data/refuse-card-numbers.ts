/**
 * Refuses requests with a card number in what is stored or shown in clear: any text of the path, the query and the
 * body, and the names of its fields.
 */
import type { FastifyInstance } from "fastify";
import { ApiError } from "../errors.ts";
import { holdsCardNumber } from "./card-number.ts";

/**
 * For the routes that are registered on `app` from here on. Runs before an idempotency key is looked up, so nothing of
 * the request is kept.
 *
 * @param spared paths of fields that aren't stored in clear: passwords, encrypted cards, bank accounts
 */
export function refuseCardNumbers(app: FastifyInstance, spared: readonly string[] = []): void {
  app.addHook("preValidation", async ({ params, query, body }) => {
    for (const part of [params, query, body]) {
      const place = findCardNumber(part, spared);
      if (place !== null) throw cardNumberIn(place);
    }
  });
}

/** @param place a parameter's path; empty for the request as a whole */
export function cardNumberIn(place: string): ApiError {
  const where = place === "" ? "A field's name" : `\`${place}\``;
  return new ApiError(
    "parameter_invalid",
    `${where} contains a card number. Card numbers belong only in the card form, so this request was refused and nothing of it was kept. Remove the number.`,
    place === "" ? {} : { param: place.slice(0, 100) },
  );
}

/** @returns the path of the text it is in, or of the object with such a name; null if there is none */
function findCardNumber(value: unknown, spared: readonly string[], path = ""): string | null {
  if (typeof value === "string") return !spared.includes(path) && holdsCardNumber(value) ? path : null;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return null;
  for (const [name, member] of Object.entries(value)) {
    if (holdsCardNumber(name)) return path;
    const found = findCardNumber(member, spared, pathTo(value, path, name));
    if (found !== null) return found;
  }
  return null;
}

/** As developers write it: `line_items[0].name`. */
function pathTo(parent: object, path: string, name: string): string {
  if (Array.isArray(parent)) return `${path}[${name}]`;
  return path === "" ? name : `${path}.${name}`;
}
