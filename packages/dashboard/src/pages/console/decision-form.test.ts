import { createElement, useSyncExternalStore } from "react";
import { expect, it, vi } from "vitest";
import { buttonOf, fieldOf, fill } from "../../testing/fields.ts";
import { showPage } from "../../testing/show-page.ts";
import { DecisionForm } from "./decision-form.tsx";

let submitted = 1;
let notify = () => {};

function Page() {
  const current = useSyncExternalStore(
    (listener) => {
      notify = listener;
      return () => {};
    },
    () => submitted,
  );
  return createElement(DecisionForm, { id: "app_1", submitted: current });
}

it("the decision on an application applies only to what the operator has checked", async () => {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (_path: string, { body }: RequestInit) => {
    sent.push(JSON.parse(String(body)));
    return Response.json({});
  });
  showPage(Page);
  await vi.waitFor(() => fieldOf("Approve").click());
  fill("Reason", "Known in the street.");
  submitted = 2; // the page has loaded it
  notify();
  await vi.waitFor(() => expect(buttonOf("Approve").disabled).toBe(true));
  expect(fieldOf("Reason").value).toBe("Known in the street.");
  buttonOf("I've checked them").click();
  await vi.waitFor(() => expect(buttonOf("Approve").disabled).toBe(false));
  buttonOf("Approve").click();
  await vi.waitFor(() => expect(sent).toEqual([{ decision: "approve", reason: "Known in the street.", submitted: 2 }]));
});
