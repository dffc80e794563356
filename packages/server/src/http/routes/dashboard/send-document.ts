/**
 * Sends an uploaded document, which is untrusted: as a download with a generated name and a type that browsers don't
 * display. If a browser opens it in a tab anyway, the CSP prevents scripts and requests.
 */
import type { FastifyReply } from "fastify";
import type { Download } from "../../../merchants/underwriting/documents.ts";

export async function sendDocument(reply: FastifyReply, { fileName, content }: Download): Promise<void> {
  await reply
    .header("content-type", "application/octet-stream")
    .header("content-disposition", `attachment; filename="${fileName}"`)
    .header("content-security-policy", "default-src 'none'; sandbox")
    .header("cross-origin-resource-policy", "same-origin")
    .header("x-content-type-options", "nosniff")
    .send(content);
}
