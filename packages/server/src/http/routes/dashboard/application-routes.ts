/**
 * The owners' side of the application for live mode: `/data/:account/:mode/application`. The application belongs to the
 * account and is the same in both modes.
 *
 * The body of an upload is the document's bytes. Only the upload route accepts such bodies, and it authenticates and
 * authorizes the user before it reads the first byte.
 */
import { isDeepStrictEqual } from "node:util";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import {
  AddDocument,
  documentTypes,
  maxDocumentBytes,
  SaveApplication,
  SubmitApplication,
  type ApplicationResponse,
  type ApplicationDocument,
  type DeletedDocument,
  type DocumentType,
} from "@oriel/protocol/dashboard/underwriting";
import { actorName } from "../../../merchants/members/members.ts";
import { currentApplication, saveDraft, submitApplication } from "../../../merchants/underwriting/applications.ts";
import { addDocument, deleteDocument, downloadOwnDocument } from "../../../merchants/underwriting/documents.ts";
import { ApiError, missingInPath } from "../../../platform/errors.ts";
import { createRateLimiter, type Rate } from "../../../platform/limits/rate-limit.ts";
import type { Context } from "../../context.ts";
import { WorkspacePath, WorkspacePathById } from "./account-params.ts";
import { DashboardError, tooMany } from "./errors.ts";
import { requireStepUp } from "./guard.ts";
import { sendDocument } from "./send-document.ts";

const owning = { config: { needs: "owning" } } as const;
const withStepUp = { config: { needs: "owning", stepUp: true } } as const;
/**
 * Per account. The burst is enough for a complete application. Uploads are limited because each one is held in memory,
 * sealed and stored.
 */
const uploads: Rate = { perSecond: 0.2, burst: 40 };

export function applicationRoutes(context: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      "/data/:account/:mode/application",
      { ...owning, schema: { params: WorkspacePath } },
      async ({ workspace: { tenant } }): Promise<ApplicationResponse> => ({
        application: await currentApplication(context, tenant.accountNo),
      }),
    );

    app.put(
      "/data/:account/:mode/application",
      { ...owning, schema: { params: WorkspacePath, body: SaveApplication } },
      async ({ workspace: { tenant }, visitor, body }): Promise<ApplicationResponse> => {
        if (body.bank_account !== undefined) requireStepUp(context, visitor); // payouts go to this bank account
        const application = await saveDraft(context, tenant.accountNo, body, actorName(visitor));
        if (application === "not_possible") throw notEditable();
        return { application };
      },
    );

    app.post(
      "/data/:account/:mode/application/submit",
      { ...withStepUp, schema: { params: WorkspacePath, body: SubmitApplication }, preValidation: refuseOldPage },
      async ({ workspace: { tenant }, visitor, body }): Promise<ApplicationResponse> => {
        const application = await submitApplication(context, tenant.accountNo, body, actorName(visitor));
        if (application === "not_possible") throw notEditable();
        return { application };
      },
    );

    app.get(
      "/data/:account/:mode/application/documents/:id",
      { ...owning, schema: { params: WorkspacePathById } },
      async ({ workspace: { tenant }, params: { id } }, reply) => {
        const found = await downloadOwnDocument(context, tenant.accountNo, id);
        if (found === undefined) throw missingInPath("document", id);
        return await sendDocument(reply, found);
      },
    );

    app.delete(
      "/data/:account/:mode/application/documents/:id",
      { ...owning, schema: { params: WorkspacePathById } },
      async ({ workspace: { tenant }, visitor, params: { id } }): Promise<DeletedDocument> => {
        const outcome = await deleteDocument(context, tenant.accountNo, id, actorName(visitor));
        if (outcome === "missing") throw missingInPath("document", id);
        if (outcome === "not_possible") throw notEditable();
        return { id, deleted: true };
      },
    );

    await app.register(uploadRoute(context));
  };
}

/** Pages that were loaded before an upgrade don't say what the owner saw. */
async function refuseOldPage({ body }: FastifyRequest): Promise<void> {
  if (!isDeepStrictEqual(body, {})) return;
  throw new DashboardError(
    "not_possible_now",
    "The dashboard has been updated since you opened this page. Save your draft and reload the page. Then submit the application.",
  );
}

function uploadRoute(context: Context): FastifyPluginAsyncTypebox {
  const limiter = createRateLimiter(context.db);

  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      [...documentTypes],
      { parseAs: "buffer", bodyLimit: maxDocumentBytes },
      (_request, body, done) => done(null, body),
    );
    app.addContentTypeParser("*", (_request, _payload, done) =>
      done(new ApiError("content_type_unsupported", `Send a file of one of these types: ${documentTypes.join(", ")}.`)),
    );

    app.post(
      "/data/:account/:mode/application/documents",
      {
        ...owning,
        bodyLimit: maxDocumentBytes,
        schema: { params: WorkspacePath, querystring: AddDocument },
        onRequest: async ({ workspace: { tenant } }) => {
          const { allowed, resetSeconds } = await limiter.take(`documents of ${tenant.accountNo}`, uploads);
          if (!allowed) throw tooMany("uploads", resetSeconds);
        },
      },
      async ({ workspace: { tenant }, visitor, query, body, headers }): Promise<ApplicationDocument> => {
        const declared = typeOf(headers["content-type"]);
        if (declared === undefined || !Buffer.isBuffer(body))
          throw new ApiError("body_malformed", "Send the file as the request body.");
        const document = { ...query, declared, bytes: body };
        const added = await addDocument(context, tenant.accountNo, document, actorName(visitor));
        if (added === "not_possible") throw notEditable();
        return added;
      },
    );
  };
}

function typeOf(header = ""): DocumentType | undefined {
  const name = header.split(";")[0]?.trim().toLowerCase();
  return documentTypes.find((type) => type === name);
}

function notEditable(): DashboardError {
  return new DashboardError(
    "not_possible_now",
    "This account has no application that you can change. If you haven't started an application, save a draft first. You can't change an application after it is submitted or approved.",
  );
}
