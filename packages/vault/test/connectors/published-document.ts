/**
 * Checks requests to Adyen's Checkout API and responses from it against the OpenAPI document that Adyen publishes, with
 * the rules in `strict-schemas.ts`.
 *
 * The document is v71, which `npm run vendor-documents` fetches. To use another version, set `ADYEN_DOCUMENT` to the path
 * of a document.
 */
import { existsSync } from "node:fs";
import { adyenDocument } from "../../../../scripts/vendor-documents.ts";
import { asObject, partOf, pointerTo, readDocument, strictSchemas } from "./strict-schemas.ts";

export interface PublishedDocument {
  /**
   * @param path - The path after the version, such as `/payments/PSP123/captures`.
   * @param body - The parsed JSON, or undefined if there's none.
   * @throws Error if the request doesn't match the document. It contains no values from the body.
   */
  checkRequest(method: string, path: string, body: unknown): void;
  /** @throws Error if the response doesn't match the document. It contains no values from the body. */
  checkResponse(method: string, path: string, status: number, body: unknown): void;
  /**
   * How often each message was checked, by names such as `POST /payments request` and `POST /payments 200`. Lets a test
   * make sure that it checked something.
   */
  readonly checked: ReadonlyMap<string, number>;
}

export function adyenDocumentPath(): string {
  return process.env["ADYEN_DOCUMENT"] || adyenDocument.path;
}

/** @throws Error with the command that fetches the document, if it's missing */
export function openPublishedDocument(path = adyenDocumentPath()): PublishedDocument {
  if (!existsSync(path))
    throw new Error(
      `${path} doesn't exist. Run \`npm run vendor-documents\`, or set ADYEN_DOCUMENT to the path of Adyen's OpenAPI document.`,
    );
  const document = readDocument(path);
  const schemas = strictSchemas(document);
  const templates = Object.keys(asObject(document["paths"])).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, "[^/?]+")}$`),
  }));
  const checked = new Map<string, number>();

  return {
    checked,

    checkRequest(method, path, body) {
      const { name, keys } = operationAt(method, path);
      check(`${name} request`, [...keys, "requestBody"], body);
    },

    checkResponse(method, path, status, body) {
      const { name, keys } = operationAt(method, path);
      const responseKeys = [...keys, "responses", String(status)];
      if (partOf(document, ...responseKeys) === undefined)
        throw new Error(`${name} has no response with the status ${status} in the published description.`);
      check(`${name} ${status}`, responseKeys, body);
    },
  };

  function operationAt(method: string, path: string): { name: string; keys: string[] } {
    const verb = method.toLowerCase();
    const found = templates.find(
      ({ template, pattern }) => pattern.test(path) && partOf(document, "paths", template, verb) !== undefined,
    );
    if (found === undefined) throw new Error(`The published description has no operation ${method} ${path}.`);
    return { name: `${method.toUpperCase()} ${found.template}`, keys: ["paths", found.template, verb] };
  }

  function check(name: string, keys: string[], body: unknown): void {
    checked.set(name, (checked.get(name) ?? 0) + 1);
    const schemaKeys = [...keys, "content", "application/json", "schema"];
    if (partOf(document, ...schemaKeys) !== undefined) return schemas.check(name, pointerTo(...schemaKeys), body);
    if (body !== undefined) throw new Error(`${name} has a body, but none in the published description.`);
  }
}
