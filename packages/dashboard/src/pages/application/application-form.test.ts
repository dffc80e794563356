import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Application as ApplicationObject, MerchantDetails } from "@oriel/protocol/dashboard/underwriting";
import { queryClient } from "../../api/query-client.ts";
import { buttonOf, fieldOf, fill } from "../../testing/fields.ts";
import { closePage, showPage } from "../../testing/show-page.ts";
import { Application } from "./application.tsx";

const complete: MerchantDetails = {
  legal_entity: { name: "Kiln Street GmbH", form: "GmbH", registration_number: "HRB 1", address: "Road 1" },
  country: "DE",
  website: "https://kiln.example",
  mcc: "5950",
  business: "Cups",
  expected_monthly_volume: { amount: 100_000, currency: "eur" },
  average_amount: 1000,
  largest_amount: 2000,
  owners: [{ name: "Ann", date_of_birth: "1980-12-31", share_percent: 100, country: "DE" }],
  bank_account: { holder_name: "Kiln Street GmbH", kind: "iban", last4: "3000" },
};

/** What the service has. */
let saved: ApplicationObject;
let count: number;
/** Requests that change something. */
let sent: { path: string; body: Record<string, unknown> }[];
/** Loses the next response to a change. */
let isLost: boolean;

/** Saves as another owner does, from another page. */
function saveElsewhere(details: MerchantDetails): void {
  saved = { ...saved, version: `v${++count}`, details: { ...saved.details, ...details } };
}

beforeEach(() => {
  count = 1;
  sent = [];
  isLost = false;
  const document = { id: "doc_1", kind: "other", name: "a.pdf", type: "application/pdf", size: 1, created: 1 } as const;
  saved = {
    id: `app_${crypto.randomUUID()}`, // unsaved edits are kept by ID
    version: "v1",
    status: "draft",
    details: complete,
    documents: [document],
    reason: null,
    bank_account_set: null,
    created: 1,
    submitted: null,
    decided: null,
    history: [],
  };
  vi.stubGlobal("fetch", async (path: string, { method, body: text }: RequestInit) => {
    if (method === "GET") return Response.json({ application: saved });
    const body = JSON.parse(String(text)) as Record<string, unknown>;
    sent.push({ path, body });
    if (body["version"] !== saved.version)
      return Response.json(
        { error: { code: "changed_meanwhile", message: "jo@shop.example has changed this application." } },
        { status: 409 },
      );
    if (method === "PUT") {
      const { version: _seen, ...details } = body;
      saveElsewhere(details);
    } else saved = { ...saved, status: "submitted", submitted: 2 };
    if (isLost) throw new TypeError("Failed to fetch");
    return Response.json({ application: saved });
  });
});

const text = () => document.body.textContent;

describe("an approved application", () => {
  it.each([
    [true, "Live mode is available."],
    [false, "the operator of this service hasn't switched on live payments yet"],
  ])("says whether live payments can be made (live mode on: %s)", async (live, sentence) => {
    saved = { ...saved, status: "approved", submitted: 2, decided: 3 };
    showPage(Application, { live });
    await vi.waitFor(() => expect(text()).toContain("Go to live API keys"));
    expect(text()).toContain(sentence);
    expect(text()?.includes("Live mode is available")).toBe(live);
  });
});

async function show(): Promise<void> {
  showPage(Application);
  await vi.waitFor(() => expect(fieldOf("Products and customers").value).toBe("Cups"));
}

async function refetch(): Promise<void> {
  await queryClient.refetchQueries({ type: "active" });
}

describe("the application form, while another owner saves the draft", () => {
  it("keeps what was typed, shows what has changed, and saves it only after the user has chosen so", async () => {
    await show();
    fill("Products and customers", "Bowls");
    saveElsewhere({ business: "Plates", website: "https://plates.example" });
    buttonOf("Save draft").click();
    await vi.waitFor(() => expect(text()).toContain("jo@shop.example has changed this application."));
    await vi.waitFor(() => expect(text()).toContain("These values are saved now:Products and customersPlates"));
    expect(fieldOf("Products and customers").value).toBe("Bowls");
    expect(fieldOf("Website").value).toBe("https://plates.example");
    buttonOf("Keep my changes").click();
    await vi.waitFor(() => expect(text()).not.toContain("These values are saved now"));
    buttonOf("Save draft").click();
    await vi.waitFor(() => expect(text()).toContain("Draft saved"));
    expect(saved.details).toMatchObject({ business: "Bowls", website: "https://plates.example" });
  });

  it("doesn't take a refetched draft for one that the user has seen, also after visiting another page", async () => {
    await show();
    fill("Products and customers", "Bowls");
    await vi.waitFor(() => expect(text()).toContain("Unsaved changes"));
    closePage();
    saveElsewhere({ business: "Plates" });
    showPage(Application);
    await vi.waitFor(() => expect(text()).toContain("These values are saved now:Products and customersPlates"));
    expect(fieldOf("Products and customers").value).toBe("Bowls");
    buttonOf("Save draft").click();
    await vi.waitFor(() => expect(text()).toContain("jo@shop.example has changed this application."));
    expect(saved.details.business).toBe("Plates");
    buttonOf("Use saved values").click();
    await vi.waitFor(() => expect(fieldOf("Products and customers").value).toBe("Plates"));
    expect(text()).toContain("All changes saved");
  });

  it("notices another bank account, although it never shows a whole one", async () => {
    await show();
    buttonOf("Use another account").click();
    await vi.waitFor(() => fieldOf("Account holder"));
    saveElsewhere({ bank_account: { holder_name: "Jo Thrower", kind: "iban", last4: "1111" } });
    await refetch();
    await vi.waitFor(() => expect(text()).toContain("Bank accountJo Thrower, IBAN ending in 1111"));
    expect(text()).toContain("Changed while you were editing");
  });
});

it("starting an application says that the user saw none, so that a colleague's new draft isn't overwritten", async () => {
  const started = saved;
  vi.stubGlobal("fetch", async (_path: string, { method, body }: RequestInit) => {
    if (method === "GET") return Response.json({ application: null });
    sent.push({ path: "application", body: JSON.parse(String(body)) as Record<string, unknown> });
    return Response.json({ application: started });
  });
  showPage(Application);
  await vi.waitFor(() => buttonOf("Start application").click());
  await vi.waitFor(() => expect(sent[0]?.body).toEqual({ version: null }));
});

it("submitting the application names what the user saw, and a retry sends the same again", async () => {
  await show();
  isLost = true;
  buttonOf("Submit").click();
  await vi.waitFor(() => expect(text()).toContain("Can't reach the service."));
  isLost = false;
  buttonOf("Submit").click();
  await vi.waitFor(() => expect(text()).toContain("Application submitted"));
  const path = "/data/acct_1/test/application/submit";
  const submission = { path, body: { version: "v1", submitted: null, documents: ["doc_1"] } };
  expect(sent).toEqual([submission, submission]);
});
