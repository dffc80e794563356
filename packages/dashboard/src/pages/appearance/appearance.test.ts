import { beforeEach, expect, it, vi } from "vitest";
import type { Settings } from "@oriel/protocol/dashboard/setup";
import { queryClient } from "../../api/query-client.ts";
import { buttonOf, fieldOf, fill } from "../../testing/fields.ts";
import { showPage } from "../../testing/show-page.ts";
import { Appearance } from "./appearance.tsx";

type Request = Pick<Settings, "appearance"> & { seen: Pick<Settings, "appearance"> };

/** What the service has. */
let appearance: Settings["appearance"];
let sent: unknown[];

beforeEach(() => {
  appearance = { labels: "floating" };
  sent = [];
  vi.stubGlobal("fetch", async (path: string, { method, body }: RequestInit) => {
    if (path.endsWith("/session"))
      return Response.json({ error: { code: "permission_missing", message: "No preview." } }, { status: 403 });
    if (method === "PATCH") {
      const change = JSON.parse(String(body)) as Request; // a request of the page
      sent.push(change.appearance);
      const message = "jo@shop.example has changed the appearance.";
      if (JSON.stringify(change.seen.appearance) !== JSON.stringify(appearance))
        return Response.json({ error: { code: "changed_meanwhile", message } }, { status: 409 });
      appearance = change.appearance;
    }
    return Response.json({ appearance });
  });
});

async function show(): Promise<void> {
  showPage(Appearance);
  await vi.waitFor(() => expect(fieldOf("Labels").value).toBe("floating"));
}

it("the appearance keeps unsaved edits when a colleague saves, and shows the rest as saved", async () => {
  await show();
  fill("Corner radius", "2px");
  fill("Primary", "#0c5c4c");
  appearance = { labels: "hidden", variables: { borderRadius: "8px" } };
  await queryClient.refetchQueries({ type: "active" });
  await vi.waitFor(() => expect(fieldOf("Labels").value).toBe("hidden"));
  expect(fieldOf("Corner radius").value).toBe("2px");
  expect(document.body.textContent).toContain("These values are saved now:Corner radius8px");
  buttonOf("Keep my changes").click();
  await vi.waitFor(() => expect(document.body.textContent).not.toContain("These values are saved now"));
  buttonOf("Save").click();
  await vi.waitFor(() => expect(buttonOf("Save").disabled).toBe(true));
  expect(sent).toEqual([{ labels: "hidden", variables: { colorPrimary: "#0c5c4c", borderRadius: "2px" } }]);
});

it("the appearance is saved only on top of one that the user has seen", async () => {
  await show();
  fill("Corner radius", "2px");
  appearance = { labels: "hidden" };
  await vi.waitFor(() => expect(buttonOf("Save").disabled).toBe(false));
  buttonOf("Save").click();
  await vi.waitFor(() => expect(document.body.textContent).toContain("jo@shop.example has changed the appearance."));
  await vi.waitFor(() => expect(fieldOf("Labels").value).toBe("hidden"));
  buttonOf("Save").click();
  await vi.waitFor(() => expect(appearance).toEqual({ labels: "hidden", variables: { borderRadius: "2px" } }));
});

it("the appearance loses unsaved edits when it's discarded or reset", async () => {
  await show();
  fill("Corner radius", "2px");
  await vi.waitFor(() => expect(buttonOf("Discard changes").disabled).toBe(false));
  buttonOf("Discard changes").click();
  await vi.waitFor(() => expect(fieldOf("Corner radius").value).toBe(""));
  fill("Corner radius", "2px");
  buttonOf("Reset to default").click();
  await vi.waitFor(() => expect(buttonOf("Reset appearance")).toBeDefined());
  buttonOf("Reset appearance").click();
  await vi.waitFor(() => expect(fieldOf("Labels").value).toBe(""));
  expect(fieldOf("Corner radius").value).toBe("");
});
