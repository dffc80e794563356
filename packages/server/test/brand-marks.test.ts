/**
 * Checks that brand marks are served as immutable images, and that they can't run anything when opened as documents.
 */
import { expect, test } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { builtMark, markDrawing } from "./setup/built-pages.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService({ pages: true }));

test("serves a brand mark as an immutable image and a sandboxed document", async () => {
  const response = await fetch(`${service.config.checkoutOrigin}${builtMark}`);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe(markDrawing);
  expect(response.headers.get("content-type")).toBe("image/svg+xml");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
});

test("returns 404 for an unknown mark", async () => {
  expect((await fetch(`${service.config.checkoutOrigin}/assets/visa-ffffffff.svg`)).status).toBe(404);
});
