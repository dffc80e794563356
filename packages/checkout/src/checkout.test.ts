import { afterEach, expect, it, vi } from "vitest";
import { loadPage, loadText } from "../test/load-page.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("without a secret asks the service, whose refusal is what the customer sees and a host page can be told", async () => {
  const page = loadPage();
  // The tests' browser lets its address be set from outside.
  (window as unknown as { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(
    "https://pay.example/c/cs_1#short",
  );
  vi.stubGlobal("isSecureContext", true);
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", async (path: string, { body }: RequestInit) => {
    if (path.startsWith("/texts/")) {
      const found = await loadText({ method: "GET", path });
      return Response.json(found.kind === "answer" ? found.body : null);
    }
    asked.push([path, body]);
    return Response.json({ error: { code: "parameter_invalid" } }, { status: 400 });
  });
  await import("./prepare-fields.ts");
  await import("./checkout.ts");
  await vi.waitFor(() => expect(page.main.dataset["result"]).toBe("invalid"));
  expect(asked).toEqual([["/frame/sessions/cs_1/open", JSON.stringify({ client_secret: "" })]]);
});
