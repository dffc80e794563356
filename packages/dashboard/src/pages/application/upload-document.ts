/**
 * Uploads one document and reports progress. `fetch` can't report upload progress, so this is the only place that uses
 * `XMLHttpRequest`. The body consists of the file's bytes.
 *
 * Type and size are checked first, so that users don't wait for an upload that would be refused. The service checks the
 * content and has the final say.
 */
import type { ApplicationDocument, DocumentKind, DocumentType } from "@oriel/protocol/dashboard/underwriting";
import { readResponse, RequestError } from "../../api/api-error.ts";
import { sizeText } from "./document-table.tsx";

export interface Upload {
  file: File;
  kind: DocumentKind;
  /** From 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/** The service's limits (`protocol/dashboard/underwriting.ts`, from which pages import types only). */
export const documentLimits = { count: 20, bytesOfOne: 10 * 1024 * 1024, bytesOfAll: 50 * 1024 * 1024 };
export const acceptedTypes: Readonly<Record<DocumentType, true>> = {
  "application/pdf": true,
  "image/png": true,
  "image/jpeg": true,
};
const maxNameLength = 300;

/** @returns why the file can't be uploaded, or null if it can */
export function faultOfFile(
  { name, type, size }: Pick<File, "name" | "type" | "size">,
  documents: readonly ApplicationDocument[],
): string | null {
  if (!(type in acceptedTypes)) return `${name} isn't a PDF, PNG or JPEG file.`;
  if (size === 0) return `${name} is empty.`;
  if (size > documentLimits.bytesOfOne) return `${name} is too large (${sizeText(size)}). Files can be up to 10 MB.`;
  if (documents.length >= documentLimits.count)
    return `You can add up to ${documentLimits.count} documents. Delete one first.`;
  if (documents.reduce((sum, document) => sum + document.size, size) > documentLimits.bytesOfAll)
    return "All documents together can be up to 50 MB. Delete one first.";
  return null;
}

/** @throws RequestError */
export async function uploadDocument(
  documentsPath: string,
  { file, kind, onProgress, signal }: Upload,
): Promise<ApplicationDocument> {
  const query = new URLSearchParams({ kind, name: file.name.slice(0, maxNameLength) });
  const request = new XMLHttpRequest();
  await new Promise<void>((resolve, reject) => {
    request.open("POST", `${documentsPath}?${query}`);
    request.setRequestHeader("accept", "application/json");
    request.setRequestHeader("content-type", file.type);
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener("load", () => resolve());
    request.addEventListener("error", () => reject(broken()));
    request.addEventListener("abort", () => reject(canceled()));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
  return readResponse(request.status, request.getResponseHeader("request-id"), request.response);
}

function broken(): RequestError {
  return new RequestError("The upload failed. Check your connection and try again, or use a smaller file.", {
    code: "unreachable",
    status: 0,
  });
}

function canceled(): RequestError {
  return new RequestError("Canceled.", { code: "canceled", status: 0 });
}
