import { afterEach, describe, expect, it, vi } from "vitest";
import { uploadDocument } from "./upload-document.ts";

afterEach(() => vi.unstubAllGlobals());

/** Uploads a file. `response` is null if the body of the response isn't JSON. */
async function upload(status: number, response: object | null) {
  vi.stubGlobal(
    "XMLHttpRequest",
    class extends EventTarget {
      readonly upload = new EventTarget();
      readonly status = status;
      readonly response = response;
      open() {}
      setRequestHeader() {}
      getResponseHeader = () => "req_1";
      send() {
        this.dispatchEvent(new Event("load"));
      }
    },
  );
  const file = new File(["%PDF"], "register.pdf", { type: "application/pdf" });
  const { signal } = new AbortController();
  return await uploadDocument("/documents", { file, kind: "registration", onProgress: () => {}, signal });
}

describe("uploading a document", () => {
  it("returns the saved document", async () => {
    expect(await upload(200, { id: "doc_1" })).toEqual({ id: "doc_1" });
  });

  it("fails with the service's message if the document is refused", async () => {
    await expect(upload(409, { error: { code: "not_possible_now", message: "Too late." } })).rejects.toMatchObject({
      code: "not_possible_now",
      message: "Too late.",
    });
  });

  it("fails if a success can't be read", async () => {
    await expect(upload(200, null)).rejects.toMatchObject({ code: "unreadable", status: 200, requestId: "req_1" });
  });
});
