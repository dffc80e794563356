/** A complete application for live mode, and the steps it goes through. */
import type {
  Application,
  ApplicationResponse,
  SaveApplication,
  SubmitApplication,
} from "@oriel/protocol/dashboard/underwriting";
import type { Visitor } from "./dashboard-visitor.ts";
import { pdf } from "./test-documents.ts";
import type { ApiResponse } from "./test-service.ts";

export const completeApplication: SaveApplication = {
  legal_entity: {
    name: "Kiln Street Pottery GmbH",
    form: "GmbH",
    registration_number: "HRB 123456",
    address: "Brennofenweg 7\n10115 Berlin",
  },
  country: "DE",
  website: "https://pottery.example/shop",
  mcc: "5950",
  business: "Handmade cups and bowls, to people at home.",
  expected_monthly_volume: { amount: 1_200_000, currency: "eur" },
  average_amount: 4_900,
  largest_amount: 80_000,
  owners: [
    { name: "Ann Weaver", date_of_birth: "1980-12-31", share_percent: 60, country: "DE" },
    { name: "Jo Thrower", date_of_birth: "1975-02-28", share_percent: 40, country: "AT" },
  ],
  bank_account: { holder_name: "Kiln Street Pottery", iban: "DE89 3704 0044 0532 0130 00" },
};

/** What must not appear anywhere in plain text. */
export const personalData = [
  "Pottery",
  "HRB 123456",
  "Brennofenweg",
  "pottery.example",
  "Handmade",
  "Ann Weaver",
  "Jo Thrower",
  "1980-12-31",
  "1975-02-28",
  "DE89370400440532013000",
  "370400440532013000",
  "3704 0044",
];

/** The application as the owner's page shows it. Undefined if the owner may not see it or there is none. */
async function loaded(owner: Visitor): Promise<Application | undefined> {
  const { body } = await owner.inWorkspace("GET", "application");
  return (body as Partial<ApplicationResponse>).application ?? undefined;
}
/** Saves as an owner who has just loaded the draft would. */
export async function save(owner: Visitor, application: object = completeApplication): Promise<ApiResponse> {
  const seen = await loaded(owner);
  return await owner.inWorkspace("PUT", "application", { ...application, ...(seen && { version: seen.version }) });
}
/** Adds a small document to the open application. */
export const upload = (owner: Visitor, name = "Register.pdf"): Promise<ApiResponse> =>
  owner.call("POST", `/data/${owner.accountId}/test/application/documents?kind=registration&name=${name}`, pdf(), {
    "content-type": "application/pdf",
  });
/** What an owner who has just loaded the application would submit. */
export async function submission(owner: Visitor): Promise<SubmitApplication> {
  const { version = "none", submitted = null, documents = [] } = (await loaded(owner)) ?? {};
  return { version, submitted, documents: documents.map(({ id }) => id) };
}
export const submit = async (owner: Visitor): Promise<ApiResponse> =>
  await owner.inWorkspace("POST", "application/submit", await submission(owner));
export const review = (operator: Visitor, id: string): Promise<ApiResponse> =>
  operator.call("POST", `/operator/applications/${id}/review`, {});
/** Sends the request as a user who has just viewed the application would. */
export async function decide(operator: Visitor, id: string, decision: string, reason?: string): Promise<ApiResponse> {
  const { body } = await operator.call("GET", `/operator/applications/${id}`);
  const submitted = Number(body["submitted"] ?? 0); // missing if there is no submitted application
  return await operator.call("POST", `/operator/applications/${id}/decision`, {
    decision,
    submitted,
    ...(reason !== undefined && { reason }),
  });
}

const ways = {
  draft: [],
  submitted: ["submit"],
  in_review: ["submit", "review"],
  needs_information: ["submit", "review", "request_information"],
  approved: ["submit", "review", "approve"],
  rejected: ["submit", "review", "reject"],
} as const;
export type Status = keyof typeof ways;

/** Takes one step of the owner or the operator. The reason is always optional. */
export function take(
  step: "submit" | "review" | "approve" | "reject" | "request_information",
  owner: Visitor,
  operator: Visitor,
  id: string,
): Promise<ApiResponse> {
  if (step === "submit") return submit(owner);
  return step === "review" ? review(operator, id) : decide(operator, id, step, `Because of ${step}.`);
}

/**
 * Creates a complete application with that status and a document.
 * @returns its ID
 */
export async function applicationIn(status: Status, owner: Visitor, operator: Visitor): Promise<string> {
  const saved = await save(owner);
  if (saved.status !== 200) throw new Error(`A draft: ${saved.text}`);
  const id = String(saved.body["application"]?.["id"]);
  const uploaded = await upload(owner);
  if (uploaded.status !== 200) throw new Error(`A document: ${uploaded.text}`);
  for (const step of ways[status]) {
    const response = await take(step, owner, operator, id);
    if (response.status !== 200) throw new Error(`${step}: ${response.text}`);
  }
  return id;
}
