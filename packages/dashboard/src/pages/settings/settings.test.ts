import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Settings as SettingsResponse } from "@oriel/protocol/dashboard/setup";
import { queryClient } from "../../api/query-client.ts";
import { buttonOf, fieldOf, fill } from "../../testing/fields.ts";
import { showPage } from "../../testing/show-page.ts";
import type { NewCustomers } from "./new-customers-form.ts";
import { Settings } from "./settings.tsx";

interface Request {
  allowed_origins?: string[];
  seen: { allowed_origins?: string[] };
}

/** What the service has. */
let saved: SettingsResponse;
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
      const request = JSON.parse(String(body)) as Request; // a request of the page
      sent.push(request);
      const { seen, ...change } = request;
      if (Array.isArray(change.allowed_origins) && seen.allowed_origins?.join() !== saved.allowed_origins.join())
        return Response.json(
          { error: { code: "changed_meanwhile", message: "jo@shop.example has changed the allowed origins." } },
          { status: 409 },
        );
      if (isAboutCustomers) Object.assign(newCustomers, change);
      else Object.assign(saved, change);
    }
    return Response.json(isAboutCustomers ? newCustomers : saved);
  });
});

async function show(): Promise<void> {
  showPage(Settings);
  await vi.waitFor(() => expect(fieldOf("Payments without a challenge").value).toBe("40"));
}

const text = () => document.body.textContent;

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

  it("stay as saved when an older response arrives after the save", async () => {
    await show();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const respond = globalThis.fetch;
    const held = { ...saved };
    vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
      if (init.method !== "GET" || !path.endsWith("/settings")) return await respond(path, init);
      vi.stubGlobal("fetch", respond); // only this response is late
      await isReleased;
      return Response.json(held);
    });
    const late = refetch();
    fill("Name", "Kiln Lane");
    await vi.waitFor(() => expect(buttonOf("Save name").disabled).toBe(false));
    buttonOf("Save name").click();
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    await vi.waitFor(() => expect(buttonOf("Save name").disabled).toBe(true));
    release();
    await late;
    await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(queryClient.getQueryData(["data", "acct_1", "test", "settings"])).toMatchObject({ name: "Kiln Lane" });
    expect(fieldOf("Name").value).toBe("Kiln Lane");
  });

  it("are saved without the list that wasn't edited", async () => {
    await show();
    fill("Allowed origins", "https://lane.example");
    saved = { ...saved, return_url_hosts: ["road.example"] };
    await vi.waitFor(() => expect(buttonOf("Save domains").disabled).toBe(false));
    buttonOf("Save domains").click();
    await vi.waitFor(() => expect(fieldOf("Redirect hosts").value).toBe("road.example"));
    const seen = { allowed_origins: ["https://kiln.example"], return_url_hosts: ["kiln.example"] };
    expect(sent).toEqual([{ allowed_origins: ["https://lane.example"], seen }]);
    expect(buttonOf("Save domains").disabled).toBe(true);
  });

  it.each([
    ["refused", async () => {}],
    ["refetched", refetch],
  ])("don't overwrite the same list, which is %s first, until the user has seen it", async (_name, before) => {
    await show();
    fill("Allowed origins", "https://lane.example");
    saved = { ...saved, allowed_origins: ["https://road.example"] };
    await before();
    buttonOf("Save domains").click();
    await vi.waitFor(() => expect(text()).toContain("jo@shop.example has changed the allowed origins."));
    await vi.waitFor(() => expect(text()).toContain("These values are saved now:Allowed originshttps://road.example"));
    expect(fieldOf("Allowed origins").value).toBe("https://lane.example");
    expect(saved.allowed_origins).toEqual(["https://road.example"]);
    buttonOf("Keep my changes").click();
    await vi.waitFor(() => expect(document.querySelectorAll("[role=alert]")).toHaveLength(0));
    buttonOf("Save domains").click();
    await vi.waitFor(() => expect(saved.allowed_origins).toEqual(["https://lane.example"]));
  });

  it("replace what was typed if the user chooses so", async () => {
    await show();
    fill("Allowed origins", "https://lane.example");
    fill("Redirect hosts", "lane.example");
    saved = { ...saved, allowed_origins: ["https://road.example"] };
    await refetch();
    await vi.waitFor(() => expect(text()).toContain("Changed while you were editing"));
    buttonOf("Use saved values").click();
    await vi.waitFor(() => expect(fieldOf("Allowed origins").value).toBe("https://road.example"));
    expect(fieldOf("Redirect hosts").value).toBe("lane.example");
    expect(text()).not.toContain("Changed while you were editing");
  });
});

it("more than 20 domains aren't sent, and the fields say so", async () => {
  await show();
  const domains = Array.from({ length: 21 }, (_, index) => `shop-${index}.example`);
  fill("Allowed origins", domains.map((domain) => `https://${domain}`).join("\n"));
  fill("Redirect hosts", domains.join("\n"));
  await vi.waitFor(() => expect(buttonOf("Save domains").disabled).toBe(false));
  buttonOf("Save domains").click();
  await vi.waitFor(() => expect(text()).toContain("Enter at most 20 origins."));
  expect(text()).toContain("Enter at most 20 hosts.");
  expect(sent).toEqual([]);
});

it("saving one setting keeps what was typed for another, and shows the saved value", async () => {
  await show();
  fill("Redirect hosts", "lane.example");
  fill("Name", " Kiln Lane ");
  await vi.waitFor(() => expect(buttonOf("Save name").disabled).toBe(false));
  buttonOf("Save name").click();
  await vi.waitFor(() => expect(fieldOf("Name").value).toBe("Kiln Lane"));
  expect(sent).toEqual([{ name: "Kiln Lane", seen: "Kiln Street" }]);
  expect(buttonOf("Save name").disabled).toBe(true);
  expect(fieldOf("Redirect hosts").value).toBe("lane.example");
});
