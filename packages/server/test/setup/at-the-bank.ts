/**
 * Plays a customer on the bank's challenge page, and what the bank then sends through the browser, over HTTP and form
 * by form.
 */
import { ownerTag, tenantOfId } from "../../src/platform/ids.ts";
import { bankKeys, type Json, type TestService } from "./test-service.ts";

type AtTheBank = Pick<TestService, "bankUrl">;

/** What the customer does on the page. `nothing`: it requires no input, or the customer does nothing. */
export type ChallengeInput =
  | "nothing"
  | "cancel"
  | { code: string }
  | { choice: string[] }
  | { app: "approve" | "decline" };

/** A form that the bank's page posts through the browser by itself. */
export interface WayBack {
  address: string;
  fields: Record<string, string>;
}

/** Opens and completes the bank's page. Returns the form that leads back, if there is one. */
export async function completeChallenge(
  bank: AtTheBank,
  payment: Json,
  input: ChallengeInput,
): Promise<WayBack | null> {
  const acsPath = new URL(String(payment["acs_url"])).pathname;
  let page = await post(bank.bankUrl + acsPath, { creq: String(payment["creq"]) });
  const { acsTransID = "", tries = "0", action } = fieldsOf(page);
  const send = (fields: Record<string, string | string[]>) =>
    post(`${bank.bankUrl}${acsPath}/answer`, { acsTransID, tries, ...fields });
  // The page checks whether the browser keeps its cookie.
  if (action === "check" && page.includes("One moment")) page = await send({ action: "check" });

  if (input === "cancel") page = await send({ action: "cancel" });
  else if (typeof input !== "string" && "app" in input) {
    await decideInApp(bank, acsTransID, input.app);
    page = await send({ action: "check" });
  } else if (typeof input !== "string") page = await send({ action: "submit", ...input });
  const address = /<form method="post" action="(http[^"]+)"/.exec(page)?.[1];
  return address === undefined ? null : { address, fields: fieldsOf(page) };
}

/** Sends the browser back to the service. Returns the page that it gets. */
export async function goBack({ address, fields }: WayBack): Promise<string> {
  return await post(address, fields);
}

/** The path that 3-D Secure messages about the test service's transactions are sent to. */
export function threeDSPath({ tenant }: Pick<TestService, "tenant">, what: "method" | "challenge" | "results"): string {
  return `/3ds/${what}/${ownerTag(tenant)}`;
}

/** Runs the 3DS Method in its hidden iframe, there and back. */
export async function runMethod(service: TestService, payment: Json): Promise<void> {
  const { url, data } = payment["method"] ?? {};
  const tenant = tenantOfId(String(payment["id"])) ?? service.tenant;
  const page = await post(service.bankUrl + new URL(String(url)).pathname, { threeDSMethodData: String(data) });
  await post(service.config.checkoutOrigin + threeDSPath({ tenant }, "method"), fieldsOf(page));
}

export async function decideInApp(
  { bankUrl }: AtTheBank,
  acsTransID: string,
  decision: "approve" | "decline",
): Promise<void> {
  await post(`${bankUrl}/acs/app/${acsTransID}`, { decision });
}

/** The bank's record of every transaction, oldest first: its responses, and the number of messages of each kind. */
export async function bankAuthentications({ bankUrl }: AtTheBank): Promise<Json[]> {
  const headers = { authorization: `Bearer ${bankKeys.apiKey}` };
  const response = await fetch(`${bankUrl}/directory-server/authentications`, { headers });
  return ((await response.json()) as { authentications: Json[] }).authentications; // the shape that the bank documents
}

/** The bank's record of one transaction. */
export async function atTheBank(bank: AtTheBank, threeDSServerTransID: string): Promise<Json> {
  const found = (await bankAuthentications(bank)).find(
    (one) => String(one["threeDSServerTransID"]) === threeDSServerTransID,
  );
  if (found === undefined) throw new Error(`The bank does not know the transaction ${threeDSServerTransID}`);
  return found;
}

async function post(address: string, fields: Record<string, string | string[]>): Promise<string> {
  const body = new URLSearchParams();
  for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) body.append(name, value);
  const response = await fetch(address, { method: "POST", body });
  if (response.status !== 200) throw new Error(`${address} returned ${response.status}`);
  return await response.text();
}

/** The hidden fields of a page. */
function fieldsOf(page: string): Record<string, string> {
  const inputs = page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, value]));
}
