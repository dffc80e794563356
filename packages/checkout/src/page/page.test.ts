import { readFileSync } from "node:fs";
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

it("shows card digits from left to right in the first response already, also if the page is in Arabic", () => {
  loadFirstPage();
  const style = document.createElement("style");
  style.textContent = readFileSync(`${import.meta.dirname}/../checkout.css`, "utf8");
  document.head.append(style);
  document.documentElement.dir = "rtl";
  const styles = [...document.querySelectorAll("input")].map((field) => getComputedStyle(field));
  expect(styles.map(({ direction, textAlign }) => `${direction} ${textAlign}`)).toEqual(Array(3).fill("ltr right"));
  document.documentElement.dir = "ltr";
  style.remove();
});

it("doesn't say so after a reload while a payment request's outcome is unknown", () => {
  vi.spyOn(history, "state", "get").mockReturnValue({ secret: "secret-0123456789", lost: "request-1" });
  loadFirstPage().showEarlyResult("unreachable");
  expect(shown()).toEqual([title, ""]);
});
