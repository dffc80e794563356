import { createElement, useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { csvEnds } from "@oriel/protocol/dashboard/payments";
import { showPage } from "../../testing/show-page.ts";
import { ExportPayments } from "./export-payments.tsx";

const rows = '\u{feff}id,status\r\n"ch_1","succeeded"\r\n';
/** What the browser saved. */
let saved: { name: string; text: Promise<string> }[];

beforeEach(() => {
  saved = [];
  const files: Blob[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((file) => `blob:${files.push(file as Blob) - 1}`);
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    const file = files[Number(this.href.replace("blob:", ""))];
    saved.push({ name: this.download, text: file?.text() ?? Promise.resolve("") });
  });
});
afterEach(() => vi.restoreAllMocks());

const text = () => document.body.textContent;

let changeFilters: (filters: string) => void;

function ExportWithFilters() {
  const [filters, setFilters] = useState("");
  changeFilters = setFilters;
  return createElement(ExportPayments, { filters: new URLSearchParams(filters) });
}

async function exportFrom(respond: () => Response): Promise<void> {
  vi.stubGlobal("fetch", async () => respond());
  showPage(ExportWithFilters);
  const button = () => document.querySelector("button");
  await vi.waitFor(() => expect(button()).not.toBeNull());
  button()?.click();
}

/** A response whose connection breaks after the rows. */
function broken(): Response {
  const pieces = [new TextEncoder().encode(rows)];
  return new Response(
    new ReadableStream({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.error(new TypeError("terminated"));
        else controller.enqueue(piece);
      },
    }),
  );
}

describe("the export of payments", () => {
  it("saves a complete file without its last line", async () => {
    await exportFrom(() => new Response(rows + csvEnds.complete));
    await vi.waitFor(() => expect(saved).toHaveLength(1));
    expect(saved[0]?.name).toMatch(/^payments-test-\d{4}-\d\d-\d\d\.csv$/);
    expect(await saved[0]?.text).toBe(rows);
    expect(text()).not.toContain("doesn't contain");
  });

  it("says if older payments are missing from the file", async () => {
    await exportFrom(() => new Response(rows + csvEnds.limited));
    await vi.waitFor(() => expect(text()).toContain("The file doesn't contain all matching payments."));
    expect(saved).toHaveLength(1);
  });

  it("doesn't say so of other filters", async () => {
    await exportFrom(() => new Response(rows + csvEnds.limited));
    await vi.waitFor(() => expect(text()).toContain("doesn't contain all matching payments"));
    changeFilters("status=failed");
    await vi.waitFor(() => expect(text()).not.toContain("doesn't contain"));
    expect(saved).toHaveLength(1);
  });

  it.each([
    ["ends early", () => new Response(rows), "The export was interrupted, so the file is incomplete. Try again."],
    ["loses its connection", broken, "Can't reach the service. Check your connection and try again."],
    [
      "is refused",
      () => Response.json({ error: { code: "rate_limited", message: "Too many requests. Wait." } }, { status: 429 }),
      "Too many requests. Wait.",
    ],
    [
      "gets a proxy's error page",
      () => new Response("<html>", { status: 502 }),
      "The service returned an unexpected error (502). Try again.",
    ],
  ])("saves no file and shows the error if it %s", async (_, respond, message) => {
    await exportFrom(respond);
    await vi.waitFor(() => expect(document.querySelector("[role=alert]")?.textContent).toBe(message));
    expect(saved).toEqual([]);
  });
});
