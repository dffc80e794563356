/** The API reference: OpenAPI 3.1 generated from the schemas that validate requests, and the pages under `/docs`. */
import swagger from "@fastify/swagger";
import scalar from "@scalar/fastify-api-reference";
import type { FastifyInstance } from "fastify";
import { completeDocument, documentHead } from "./api/openapi-document.ts";
import { apiErrorsPage, sendHelpPage } from "./help-page.ts";
import { compressedFor, sendCompressed } from "./send-compressed.ts";

/** Must be called before the routes are registered: the plugin collects them as they are added. */
export async function describeApi(app: FastifyInstance, apiUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: documentHead(apiUrl),
    transformObject: (made) => completeDocument("openapiObject" in made ? made.openapiObject : made.swaggerObject),
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) =>
        typeof json["$id"] === "string" ? json["$id"] : `def-${index}`,
    },
  });
}

/**
 * Serves the OpenAPI document, its page and the error guide. The document and the page's script are large and the same
 * for everyone, so each is built once and shared by all responses.
 */
export async function serveDocs(app: FastifyInstance): Promise<void> {
  let description: Buffer | null = null;
  app.get("/api/v1/openapi.json", { schema: { hide: true } }, async (_request, reply) => {
    description ??= Buffer.from(JSON.stringify(app.swagger()));
    return sendCompressed(reply.type("application/json; charset=utf-8"), description);
  });
  const errors = apiErrorsPage();
  app.get("/docs/errors", { schema: { hide: true } }, async (_request, reply) =>
    sendHelpPage(reply, errors, "public, max-age=300"),
  );
  await app.register(async (docs) => {
    let script: Buffer | null = null;
    // The page is third-party code with inline scripts. That is acceptable because it's on the API's host, which never
    // sees card data and has no session cookies.
    docs.addHook("onSend", async (request, reply, payload) => {
      void reply.header(
        "content-security-policy",
        "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'",
      );
      if (request.routeOptions.url !== "/docs/js/scalar.js" || typeof payload !== "string") return payload;
      script ??= Buffer.from(payload);
      return compressedFor(reply, script);
    });
    await docs.register(scalar, {
      routePrefix: "/docs",
      configuration: {
        url: "/api/v1/openapi.json",
        pageTitle: "Oriel API",
        favicon: "data:,",
        withDefaultFonts: false,
        hideClientButton: true,
        // Disable everything that would send data about this page or its readers to a third party.
        showDeveloperTools: "never",
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}
