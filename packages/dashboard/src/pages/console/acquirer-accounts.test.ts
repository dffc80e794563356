import { createElement } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { OperatorAcquirer } from "@oriel/protocol/dashboard/acquirers";
import type { OperatorAccount } from "@oriel/protocol/dashboard/underwriting";
import { showPage } from "../../testing/show-page.ts";
import { AcquirerAccountsSection } from "./acquirer-accounts-section.tsx";

const account: OperatorAccount = {
  id: "acct_1",
  name: "Kiln Street",
  status: "active",
  is_live_approved: true,
  created: 1_800_000_000,
  acquirer: { has_bank: false, merchant_id: null },
  members: [],
  applications: [],
};
const connected: OperatorAcquirer = {
  id: "aa_1",
  livemode: false,
  connector: "adyen",
  settings: {
    merchant_account: "KilnAndClay",
    api_url: "https://checkout-test.adyen.com/v72",
    multiple_partial_captures: false,
  },
  notification_url: "https://api.example/acquirers/aa_1/notifications",
  created: 1_800_000_000,
  updated: 1_800_000_000,
  replaced: null,
};
const apiKey = "the-key-of-the-shop";
const hmacKey = "A".repeat(64);

let acquirers: OperatorAcquirer[];
let refusal: Response | null;
let sent: [path: string, body: unknown][];

beforeEach(() => {
  refusal = null;
  sent = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    if (init.method === "POST") sent.push([path, JSON.parse(String(init.body))]);
    return (init.method === "POST" ? refusal : null) ?? Response.json({ data: acquirers });
  });
});

async function show(all: OperatorAcquirer[]): Promise<void> {
  acquirers = all;
  showPage(() => createElement(AcquirerAccountsSection, { account }));
  await vi.waitFor(() => expect(text()).toContain("Live mode"));
}

const text = () => document.body.textContent;
const dialog = () => document.querySelector("[role=dialog]")?.textContent;
const button = (name: string) =>
  [...document.querySelectorAll("button")].find((each) =>
    [each.getAttribute("aria-label"), each.textContent].includes(name),
  );

function field(label: string): HTMLInputElement {
  const input = [...document.querySelectorAll("input")].find((each) =>
    [...(each.labels ?? [])].some(({ textContent }) => textContent.startsWith(label)),
  );
  if (input === undefined) throw new Error(`There's no field ${label}`);
  return input;
}

/** What assistive technology reads with a field: its description and its error. */
function descriptionOf(label: string): string {
  const ids = field(label).getAttribute("aria-describedby")?.split(" ") ?? [];
  return ids.map((id) => document.getElementById(id)?.textContent).join(" ");
}

function type(label: string, value: string): void {
  const input = field(label);
  // React ignores a value that is set through the element's own property, because it tracks that property.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, value);
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

async function open(name: string): Promise<void> {
  button(name)?.click();
  await vi.waitFor(() => expect(dialog()).toContain("Merchant account"));
}

describe("the section of acquirer accounts", () => {
  it("shows the connection of each mode, and the URL for notifications", async () => {
    await show([connected]);
    expect(text()).toMatch(
      /Test mode.*KilnAndClay.*CredentialsSet.*https:\/\/api\.example\/acquirers\/aa_1\/notifications/,
    );
    expect(text()).toMatch(/Live modeNot connected/);
    expect(button("Change connection in test mode")).toBeDefined();
    expect(button("Connect Adyen in live mode")).toBeDefined();
  });

  it("lists replaced ones separately", async () => {
    const old = { ...connected, id: "aa_0", settings: { merchant_account: "OldKiln" }, replaced: 1_800_000_000 };
    await show([connected, old]);
    const rows = [...document.querySelectorAll("tbody tr")].map(({ textContent }) => textContent);
    expect(rows).toEqual([expect.stringMatching(/^OldKilnTest.*aa_0Change connection$/)]);
  });
});

describe("connecting Adyen", () => {
  it("sends settings and keys, and then shows neither key", async () => {
    await show([]);
    await open("Connect Adyen in test mode");
    type("Merchant account", " KilnAndClay ");
    type("API URL", "https://checkout-test.adyen.com/v72");
    type("API key", apiKey);
    type("HMAC key", hmacKey);
    acquirers = [connected];
    button("Connect")?.click();
    await vi.waitFor(() => expect(text()).toContain("Adyen connected"));
    expect(sent).toEqual([
      [
        "/operator/accounts/acct_1/acquirers",
        {
          livemode: false,
          connector: "adyen",
          settings: connected.settings,
          credentials: { api_key: apiKey, hmac_keys: [hmacKey] },
          seen: null,
        },
      ],
    ]);
    await vi.waitFor(() => expect(document.querySelector("[role=dialog]")).toBeNull());
    expect(document.body.innerHTML).not.toContain(apiKey);
    await open("Change connection in test mode");
    expect(["API key", "HMAC key", "Old HMAC key"].map((label) => field(label).value)).toEqual(["", "", ""]);
  });

  it("asks for what is missing, and sends nothing", async () => {
    await show([]);
    await open("Connect Adyen in live mode");
    button("Connect")?.click();
    await vi.waitFor(() => expect(dialog()).toContain("Enter the merchant account."));
    expect(dialog()).toContain("Enter the API URL.");
    expect(dialog()).toContain("Enter the API key.");
    expect(dialog()).toContain("Enter the HMAC key.");
    expect(sent).toEqual([]);
  });

  it("keeps the keys if only settings change", async () => {
    await show([connected]);
    await open("Change connection in test mode");
    type("API URL", "https://checkout-test.adyen.com/v73");
    button("Save")?.click();
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]?.[1]).toEqual({
      livemode: false,
      connector: "adyen",
      settings: { ...connected.settings, api_url: "https://checkout-test.adyen.com/v73" },
      seen: { id: connected.id, settings: connected.settings },
    });
  });

  it.each([
    ["another merchant account", () => type("Merchant account", "Other")],
    ["only one of the keys", () => type("API key", apiKey)],
  ])("asks for the keys with %s", async (_name, change) => {
    await show([connected]);
    await open("Change connection in test mode");
    change();
    button("Save")?.click();
    await vi.waitFor(() => expect(dialog()).toContain("Enter the HMAC key."));
    expect(sent).toEqual([]);
  });

  it("sends the old HMAC key too", async () => {
    await show([connected]);
    await open("Change connection in test mode");
    type("API key", apiKey);
    type("HMAC key", hmacKey);
    type("Old HMAC key", "B".repeat(64));
    button("Save")?.click();
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]?.[1]).toMatchObject({ credentials: { api_key: apiKey, hmac_keys: [hmacKey, "B".repeat(64)] } });
  });

  it.each([
    ["settings.merchant_account", "Merchant account"],
    ["settings.api_url", "API URL"],
    ["credentials.api_key", "API key"],
    ["credentials.hmac_keys", "HMAC key"],
  ])("shows an error about %s at its field", async (param, label) => {
    await show([connected]);
    await open("Change connection in test mode");
    const message = "It's wrong in some way.";
    refusal = Response.json({ error: { code: "parameter_invalid", message, param } }, { status: 400 });
    button("Save")?.click();
    await vi.waitFor(() => expect(descriptionOf(label)).toContain(message));
    expect(document.querySelector("[role=dialog] [role=alert]")).toBeNull();
  });
});
