/**
 * Sends one document and tells how far it is. `fetch` cannot tell that, so this is the one place that asks by
 * `XMLHttpRequest`: same origin, the session's cookie, the file's bytes as the body.
 *
 * Looks at type and size first, so that nobody waits for a refusal that could be known. The service reads the content
 * and decides.
 */
import type { ApplicationDocument, DocumentKind, DocumentType } from "@oriel/protocol/dashboard-underwriting";
import type { DashboardErrorBody } from "@oriel/protocol/dashboard";
import { Refusal } from "../../api/refusal.ts";
import { sizeText } from "./document-table.tsx";

export interface Upload {
  file: File;
  kind: DocumentKind;
  /** From 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/** As the service has them (`protocol/dashboard-underwriting.ts`, which a page takes types from and no code). */
export const documentLimits = { count: 20, bytesOfOne: 10 * 1024 * 1024, bytesOfAll: 50 * 1024 * 1024 };
export const acceptedTypes: Readonly<Record<DocumentType, true>> = {
  "application/pdf": true,
  "image/png": true,
  "image/jpeg": true,
};
const maxNameLength = 300;

/** @returns why it cannot be taken, or null where the service has to look */
export function faultOfFile(
  { name, type, size }: Pick<File, "name" | "type" | "size">,
  kept: readonly ApplicationDocument[],
): string | null {
  if (!(type in acceptedTypes)) return `${name} is no PDF, PNG or JPEG.`;
  if (size === 0) return `${name} is empty.`;
  if (size > documentLimits.bytesOfOne) return `${name} has ${sizeText(size)}. A document may have 10 MB.`;
  if (kept.length >= documentLimits.count)
    return `An application has at most ${documentLimits.count} documents. Delete one first.`;
  if (kept.reduce((sum, document) => sum + document.size, size) > documentLimits.bytesOfAll)
    return "The documents of an application have at most 50 MB together.";
  return null;
}

/** @throws Refusal */
export async function uploadDocument(
  documentsPath: string,
  { file, kind, onProgress, signal }: Upload,
): Promise<ApplicationDocument> {
  const query = new URLSearchParams({ kind, name: file.name.slice(0, maxNameLength) });
  return await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${documentsPath}?${query}`);
    request.setRequestHeader("accept", "application/json");
    request.setRequestHeader("content-type", file.type);
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) resolve(request.response as ApplicationDocument); // what the route says it answers with
      else reject(toRefusal(request));
    });
    request.addEventListener("error", () => reject(broken()));
    request.addEventListener("abort", () => reject(canceled()));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}

function toRefusal(request: XMLHttpRequest): Refusal {
  const { error } = (request.response ?? {}) as Partial<DashboardErrorBody>; // of the shape that every refusal of ours has
  const { status } = request;
  const requestId = request.getResponseHeader("request-id");
  if (error === undefined)
    return new Refusal(`The service answered ${status} and said no more.`, { code: "unreadable", status, requestId });
  return new Refusal(error.message, { code: error.code, param: error.param ?? null, status, requestId });
}

function broken(): Refusal {
  return new Refusal(
    "The file did not arrive. Look at your connection, then try again; a smaller file arrives sooner.",
    {
      code: "unreachable",
      status: 0,
    },
  );
}

function canceled(): Refusal {
  return new Refusal("Canceled.", { code: "canceled", status: 0 });
}
