import { describe, expect, it, vi } from "vitest";
import type { Send } from "../service/send-request.ts";
import en from "./en.ts";
import { fetchTextsBy, textFileOf } from "./page-texts.ts";

describe("a language's main file", () => {
  it("leaves out the texts for choices, and the one for a page without JavaScript", () => {
    const { needsScript: _, ...first } = en.first;
    expect(textFileOf(en)).toEqual({ ...first, ...en.form, after: en.after });
  });
});

describe("a language's file", () => {
  it("is fetched from the directory of texts, and may come from the browser's cache", async () => {
    const send = vi.fn<Send>(async () => ({ ok: true, status: 200, body: { title: "Zahlung" } }));
    expect(await fetchTextsBy(send, "/texts/")("de")).toEqual({ title: "Zahlung" });
    expect(send).toHaveBeenCalledExactlyOnceWith("/texts/de.json", { cache: "default", timeoutMs: 10_000 });
  });

  it.each([
    ["nothing arrives", null],
    ["the service refuses", { ok: false, status: 404, body: {} }],
  ])("is null if %s", async (_when, reply) => {
    expect(await fetchTextsBy(async () => reply, "/texts/")("de")).toBe(null);
  });
});
