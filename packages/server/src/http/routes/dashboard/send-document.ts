/**
 * Gives out what strangers uploaded: as a file to be saved, of no type that a browser would show, under a name of ours.
 * Should one be opened in a tab all the same, it may run nothing and load nothing.
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
