import { afterEach, expect, it, vi } from "vitest";
import { loadPage, loadText } from "../test/load-page.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("calls the service even with an unusable secret, and shows the error", async () => {
  const page = loadPage();
  // Happy DOM lets tests set the URL.
  (window as unknown as { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(
    "https://pay.example/c/cs_1#short",
  );
  vi.stubGlobal("isSecureContext", true);
  document.documentElement.dataset["texts"] = "/texts/";
  const requests: unknown[] = [];
  vi.stubGlobal("fetch", async (path: string, { body }: RequestInit) => {
    if (path.startsWith("/texts/")) {
      const found = await loadText(path, {});
      return Response.json(found?.body);
    }
    requests.push([path, body]);
    return Response.json({ error: { code: "parameter_invalid" } }, { status: 400 });
  });
  await import("./prepare-fields.ts");
  await import("./prepare-page.ts");
  await import("./checkout.ts");
  await vi.waitFor(() => expect(page.main.dataset["result"]).toBe("invalid"));
  expect(requests).toEqual([["/frame/sessions/cs_1/open", JSON.stringify({ client_secret: "" })]]);
});
