import { afterEach, expect, it, vi } from "vitest";
import { loadFirstPage } from "../../test/load-page.ts";
import en from "../texts/en.ts";

const [title, text] = en.first.unreachable;
const shown = () => ["result-title", "result-text"].map((id) => document.getElementById(id)?.textContent);

afterEach(() => vi.restoreAllMocks());

it("says that nothing was sent if the form's code can't be fetched", () => {
  loadFirstPage().showEarlyResult("unreachable");
  expect(shown()).toEqual([title, text]);
  expect(document.getElementById("result")?.role).toBe("alert");
  expect(document.activeElement).toBe(document.body);
});

it("doesn't say so after a reload while a payment request's outcome is unknown", () => {
  vi.spyOn(history, "state", "get").mockReturnValue({ secret: "secret-0123456789", lost: "request-1" });
  loadFirstPage().showEarlyResult("unreachable");
  expect(shown()).toEqual([title, ""]);
});
