import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Settings as SettingsAnswer } from "@oriel/protocol/dashboard-setup";
import { queryClient } from "../../api/query-client.ts";
import { buttonOf, fieldOf, fill } from "../../testing/fields.ts";
import { closePage, showPage } from "../../testing/show-page.ts";
import type { NewCustomers } from "./new-customers-form.ts";
import { Settings } from "./settings.tsx";

/** What the service has. */
let saved: SettingsAnswer;
let newCustomers: NewCustomers;
let sent: unknown[];

beforeEach(() => {
  saved = {
    account_id: "acct_1",
    name: "Kiln Street",
    allowed_origins: ["https://kiln.example"],
    return_url_hosts: ["kiln.example"],
    appearance: null,
  };
  newCustomers = {
    applies: true,
    policy: "tokens",
    bucket_size: 40,
    tokens: 12,
    default: { policy: "tokens", bucket_size: 40 },
  };
  sent = [];
  vi.stubGlobal("fetch", async (path: string, { method, body }: RequestInit) => {
    const isAboutCustomers = path.endsWith("new-customers");
    if (method !== "GET") {
      const change = JSON.parse(String(body)) as object; // a request of the page
      sent.push(change);
      if (isAboutCustomers) Object.assign(newCustomers, change);
      else Object.assign(saved, change);
    }
    return Response.json(isAboutCustomers ? newCustomers : saved);
  });
});
afterEach(() => {
  closePage();
  vi.unstubAllGlobals();
});

async function show(): Promise<void> {
  showPage(Settings);
  await vi.waitFor(() => expect(fieldOf("Payments without a challenge").value).toBe("40"));
}

/** As when the user comes back to the window. */
async function refetch(): Promise<void> {
  await queryClient.refetchQueries({ type: "active" });
}

describe("the settings, while a colleague saves others", () => {
  it("keep what was typed, and show the rest as saved", async () => {
    await show();
    fill("Name", "Kiln Lane");
    fill("Allowed origins", "https://kiln.example\nhttps://lane.example");
    fill("Payments without a challenge", "100");
    saved = { ...saved, name: "Kiln Road", allowed_origins: [], return_url_hosts: ["road.example"] };
    newCustomers = { ...newCustomers, policy: null };
    await refetch();
    await vi.waitFor(() => expect(fieldOf("Redirect hosts").value).toBe("road.example"));
    await vi.waitFor(() => expect(document.body.textContent).toContain("You're using the operator's default."));
    expect(fieldOf("Name").value).toBe("Kiln Lane");
    expect(fieldOf("Allowed origins").value).toBe("https://kiln.example\nhttps://lane.example");
    expect(fieldOf("Payments without a challenge").value).toBe("100");
  });

  it("follow them if nothing was typed", async () => {
    await show();
    saved = { ...saved, name: "Kiln Road" };
    await refetch();
    await vi.waitFor(() => expect(fieldOf("Name").value).toBe("Kiln Road"));
    expect(buttonOf("Save name").disabled).toBe(true);
  });

  it("are saved without the list that wasn't edited", async () => {
    await show();
    fill("Allowed origins", "https://lane.example");
    saved = { ...saved, return_url_hosts: ["road.example"] };
    await vi.waitFor(() => expect(buttonOf("Save domains").disabled).toBe(false));
    buttonOf("Save domains").click();
    await vi.waitFor(() => expect(fieldOf("Redirect hosts").value).toBe("road.example"));
    expect(sent).toEqual([{ allowed_origins: ["https://lane.example"] }]);
    expect(buttonOf("Save domains").disabled).toBe(true);
  });
});

it("saving one setting keeps what was typed for another, and shows the saved value", async () => {
  await show();
  fill("Redirect hosts", "lane.example");
  fill("Name", " Kiln Lane ");
  await vi.waitFor(() => expect(buttonOf("Save name").disabled).toBe(false));
  buttonOf("Save name").click();
  await vi.waitFor(() => expect(fieldOf("Name").value).toBe("Kiln Lane"));
  expect(sent).toEqual([{ name: "Kiln Lane" }]);
  expect(buttonOf("Save name").disabled).toBe(true);
  expect(fieldOf("Redirect hosts").value).toBe("lane.example");
});
