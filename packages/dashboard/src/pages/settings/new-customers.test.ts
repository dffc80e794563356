import { MantineProvider } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Role } from "@oriel/protocol/dashboard/roles";
import type { NewCustomersSetting } from "@oriel/protocol/dashboard/setup";
import type { Me, Membership } from "@oriel/protocol/dashboard/sign-in";
import { queryClient } from "../../api/query-client.ts";
import { createWorkspace, WorkspaceProvider, type Mode } from "../../api/workspace.tsx";
import { NewCustomersSection } from "./new-customers.tsx";

const byDefault: NewCustomersSetting = {
  applies: true,
  policy: null,
  bucket_size: 40,
  tokens: 12,
  default: { policy: "tokens", bucket_size: 40 },
};
const own: NewCustomersSetting = { ...byDefault, policy: "never_challenge" };

const me: Me = {
  login: { id: "login_1", name: "Robin Weaver", email: "robin@shop.example", has_second_factor: true },
  memberships: [],
  is_operator: false,
  live: true,
  checkout_origin: "https://checkout.example",
  api_url: "https://api.example",
};

const fetched = vi.fn<typeof fetch>();
let root: Root;

beforeEach(() => vi.stubGlobal("fetch", fetched));
afterEach(() => {
  notifications.clean();
  root.unmount();
  queryClient.clear();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  fetched.mockReset();
});

function respond(body: object, status = 200): void {
  fetched.mockResolvedValueOnce(Response.json(body, { status }));
}

/** Renders the section, and waits until the setting is loaded. */
async function show(setting: NewCustomersSetting, role: Role = "owner", mode: Mode = "live") {
  respond(setting);
  const membership: Membership = {
    account_id: "acct_1",
    account_name: "Kiln Street",
    role,
    status: "active",
    is_live_approved: true,
  };
  const workspace = createWorkspace({ ...me, memberships: [membership] }, membership, mode);
  const section = createElement(WorkspaceProvider, { value: workspace }, createElement(NewCustomersSection));
  const withQueries = createElement(
    QueryClientProvider,
    { client: queryClient },
    section,
    createElement(Notifications),
  );
  const place = document.createElement("div");
  document.body.append(place);
  root = createRoot(place);
  root.render(createElement(MantineProvider, { env: "test" }, withQueries));
  await vi.waitFor(() => {
    expect(text()).toContain("New customers");
    expect(document.querySelector("[aria-label=Loading]")).toBeNull();
  });
}

const text = () => document.body.textContent;
const all = (selector: string) => [...document.querySelectorAll<HTMLInputElement>(`section ${selector}`)];
const radio = (policy: string) => all(`input[value=${policy}]`)[0];
const limit = () => all("input[inputmode=numeric]")[0];
const button = (name: string) => all("button").find(({ textContent }) => textContent === name);

function press(element: HTMLElement | undefined): void {
  if (element === undefined) throw new Error("It isn't there");
  element.click();
}

function type(value: string): void {
  // React ignores a value that is set through the element's own property, because it tracks that property.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(limit(), value);
  limit()?.dispatchEvent(new Event("input", { bubbles: true }));
}

/** The bodies of the requests that change the setting. */
function sent(): unknown[] {
  return fetched.mock.calls
    .filter(([, init]) => init?.method === "PUT")
    .map(([, init]) => JSON.parse(String(init?.body)) as unknown);
}

describe("the section for new customers", () => {
  it("shows the operator's default and how much of it is left", async () => {
    await show(byDefault);
    expect(fetched.mock.calls[0]?.[0]).toBe("/data/acct_1/live/settings/new-customers");
    expect(radio("tokens")?.checked).toBe(true);
    expect(limit()?.value).toBe("40");
    expect(text()).toContain("Left now: 12 of 40.");
    expect(text()).toContain("You're using the operator's default.");
    expect(button("Use default")).toBeUndefined();
  });

  it("labels and describes each choice and the limit for assistive technology", async () => {
    await show(byDefault);
    expect(document.querySelector("[role=radiogroup]")?.getAttribute("aria-labelledby")).not.toBeNull();
    expect(all("input")).toHaveLength(4);
    for (const input of all("input")) {
      expect(input.labels?.[0]?.textContent).toMatch(/challenge/);
      const description = document.getElementById(input.getAttribute("aria-describedby") ?? "");
      expect(description?.textContent).toMatch(/\w.*\.$/);
    }
  });

  it("saves a choice and confirms it", async () => {
    await show(byDefault);
    press(radio("always_challenge"));
    await vi.waitFor(() => expect(limit()).toBeUndefined());
    respond({ ...byDefault, policy: "always_challenge" });
    press(button("Save"));
    await vi.waitFor(() => expect(text()).toContain("Setting for new customers saved"));
    expect(sent()).toEqual([{ policy: "always_challenge", bucket_size: 40, seen: { policy: null, bucket_size: 40 } }]);
    await vi.waitFor(() => expect(button("Save")?.disabled).toBe(true));
    expect(radio("always_challenge")?.checked).toBe(true);
  });

  it("saves a limit and shows what is left of it", async () => {
    await show(byDefault);
    type("100");
    respond({ ...byDefault, policy: "tokens", bucket_size: 100, tokens: 72 });
    press(button("Save"));
    await vi.waitFor(() => expect(text()).toContain("Left now: 72 of 100."));
    expect(sent()).toEqual([{ policy: "tokens", bucket_size: 100, seen: { policy: null, bucket_size: 40 } }]);
  });

  it("explains an invalid limit at its field, moves the focus there and sends nothing", async () => {
    await show(byDefault);
    type("0");
    press(button("Save"));
    await vi.waitFor(() => expect(text()).toContain("Enter a whole number from 1 to 10,000."));
    expect(limit()?.getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(limit());
    expect(sent()).toEqual([]);
  });

  it("shows a refusal as an alert, and keeps the choice", async () => {
    await show(own);
    press(radio("always_challenge"));
    await vi.waitFor(() => expect(button("Save")?.disabled).toBe(false));
    respond({ error: { code: "permission_missing", message: "Your role doesn't allow this." } }, 403);
    press(button("Save"));
    await vi.waitFor(() =>
      expect(all("[role=alert]").map(({ textContent }) => textContent)).toEqual(["Your role doesn't allow this."]),
    );
    expect(radio("always_challenge")?.checked).toBe(true);
  });

  it("goes back to the operator's default", async () => {
    await show(own);
    expect(radio("never_challenge")?.checked).toBe(true);
    expect(text()).toContain("Operator's default: Limit payments without a challenge (40).");
    respond(byDefault);
    press(button("Use default"));
    await vi.waitFor(() => expect(radio("tokens")?.checked).toBe(true));
    expect(sent()).toEqual([{ policy: null, bucket_size: 40, seen: { policy: "never_challenge", bucket_size: 40 } }]);
  });

  it.each(["support", "read_only"] as const)("shows the %s role what applies, without a form", async (role) => {
    await show(byDefault, role);
    expect(text()).toContain("Limit payments without a challenge (40)");
    expect(text()).toContain("12 of 40");
    expect(all("form, input, button")).toEqual([]);
  });

  it("says so if no risk rules apply in the mode", async () => {
    await show({ applies: false }, "owner", "test");
    expect(text()).toContain("Risk rules are off in test mode, so this setting has no effect.");
    expect(all("form, input, button")).toEqual([]);
  });
});
