/** How the pictures of the brands' marks are served: as pictures, for good, and as documents that may do nothing. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtMark, markDrawing } from "./setup/built-pages.ts";
import { startTestService, type TestService } from "./setup/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ pages: true });
});
afterAll(() => service.close());

test("a brand's mark is a picture that never changes, and a document without rights", async () => {
  const response = await fetch(`${service.config.checkoutOrigin}${builtMark}`);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe(markDrawing);
  expect(response.headers.get("content-type")).toBe("image/svg+xml");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
});

test("a mark that there is not is nowhere", async () => {
  expect((await fetch(`${service.config.checkoutOrigin}/assets/visa-ffffffff.svg`)).status).toBe(404);
});
