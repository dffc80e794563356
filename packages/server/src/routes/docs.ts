/** The API's description: OpenAPI 3.1 made from the schemas that validate, and a page to read it on. */
import swagger from "@fastify/swagger";
import scalar from "@scalar/fastify-api-reference";
import type { FastifyInstance } from "fastify";
import { completeDocument, documentHead } from "./api/openapi-document.ts";

/** Before the routes, so that it sees them. */
export async function describeApi(app: FastifyInstance, apiUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: documentHead(apiUrl),
    transformObject: (made) => completeDocument("openapiObject" in made ? made.openapiObject : made.swaggerObject),
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) => (typeof json["$id"] === "string" ? json["$id"] : `def-${index}`),
    },
  });
}

export async function serveDocs(app: FastifyInstance): Promise<void> {
  app.get("/api/v1/openapi.json", { schema: { hide: true } }, async () => app.swagger());
  await app.register(async (docs) => {
    // The page is a third party's, made with inline scripts; it is on the API's host, where no card and no session ever is.
    docs.addHook("onSend", async (_request, reply) => {
      void reply.header(
        "content-security-policy",
        "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'",
      );
    });
    await docs.register(scalar, {
      routePrefix: "/docs",
      configuration: {
        url: "/api/v1/openapi.json",
        pageTitle: "Oriel API",
        favicon: "data:,",
        withDefaultFonts: false,
        hideClientButton: true,
        // Nothing that would send this page, or who reads it, to somebody else.
        showDeveloperTools: "never",
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}
