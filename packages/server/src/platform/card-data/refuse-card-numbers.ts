/**
 * Rejects requests that contain a card number in a place that is stored or shown unencrypted: any text in the path,
 * query or body, and the names of fields.
 */
import type { FastifyInstance } from "fastify";
import { ApiError } from "../errors.ts";
import { containsCardNumber } from "./card-number.ts";
import { mayBeCardNumber } from "./phone-number.ts";

interface Paths {
  /** Fields that aren't stored unencrypted: passwords, encrypted cards, bank accounts. */
  spared?: readonly string[];
  /** Fields for phone numbers. */
  phones?: readonly string[];
}

/**
 * Applies to the routes registered on `app` after this call. Runs before an idempotency key is looked up, so no part of
 * the request is stored.
 */
export function refuseCardNumbers(app: FastifyInstance, { spared = [], phones = [] }: Paths): void {
  const isRefused = (text: string, path: string) =>
    !spared.includes(path) && (phones.includes(path) ? mayBeCardNumber(text) : containsCardNumber(text));
  app.addHook("preValidation", async ({ params, query, body }) => {
    for (const part of [params, query, body]) {
      const place = findCardNumber(part, isRefused);
      if (place !== null) throw cardNumberIn(place);
    }
  });
}

/** @param place the parameter's path; empty if a field's name contains the number */
function cardNumberIn(place: string): ApiError {
  const where = place === "" ? "A field name" : `\`${place}\``;
  return new ApiError(
    "parameter_invalid",
    `${where} contains a card number. Only the card form accepts card numbers, so we rejected this request and didn't store it. Remove the number and try again.`,
    place === "" ? {} : { param: place.slice(0, 100) },
  );
}

/** @returns the path of the text that contains it, or of the object with such a field name; null if nothing does */
function findCardNumber(value: unknown, isRefused: (text: string, path: string) => boolean, path = ""): string | null {
  if (typeof value === "string") return isRefused(value, path) ? path : null;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return null;
  for (const [name, member] of Object.entries(value)) {
    if (containsCardNumber(name)) return path;
    const found = findCardNumber(member, isRefused, pathTo(value, path, name));
    if (found !== null) return found;
  }
  return null;
}

/** In the notation that developers use: `line_items[0].name`. */
function pathTo(parent: object, path: string, name: string): string {
  if (Array.isArray(parent)) return `${path}[${name}]`;
  return path === "" ? name : `${path}.${name}`;
}
