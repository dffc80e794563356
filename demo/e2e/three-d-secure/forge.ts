/** Forged messages: a CRes from the customer's own browser, and codes that reach the bank's page from outside our iframes. */
import type { Page } from "@playwright/test";
import { addresses } from "../urls.ts";

export interface ForgedCRes {
  threeDSServerTransID: string;
  acsTransID: string;
  transStatus?: string;
  messageType?: string;
}

/** Posts a form to our challenge landing from a page in the customer's browser, and waits for the response. */
export async function postCRes(
  page: Page,
  { transStatus = "Y", messageType = "CRes", ...ids }: ForgedCRes,
): Promise<number> {
  const message = { messageType, messageVersion: "2.3.1", transStatus, errorCode: "403", ...ids };
  const cres = Buffer.from(JSON.stringify(message)).toString("base64url");
  const path = challengeReturn(page);
  const forger = await page.context().newPage();
  await forger.setContent(
    `<form method="post" action="${addresses.checkout}${path}"><input name="cres" value="${cres}"><button>Forge</button></form>`,
  );
  const landed = forger.waitForResponse((response) => response.url().endsWith(path));
  await forger.getByRole("button", { name: "Forge" }).click();
  const status = (await landed).status();
  await forger.close();
  return status;
}

/** The path of the challenge's notification URL. It names the session's owner, as bits 48 to 98 of its ID do. */
function challengeReturn(page: Page): string {
  const [id] = page.frames().flatMap((frame) => /\/c\/cs_(\w{33})/.exec(frame.url())?.[1] ?? []);
  if (id === undefined) throw new Error("The page has no checkout");
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  const bits = Array.from(id, (digit) => alphabet.indexOf(digit).toString(2).padStart(5, "0")).join("");
  const owner = bits.slice(48, 99).padStart(55, "0");
  const tag = owner.replace(/.{5}/g, (five) => alphabet[Number.parseInt(five, 2)] ?? "");
  return `/3ds/challenge/${tag}`;
}

/** Posts a form to the bank's page and returns what it shows. */
export async function postCReq(ids: Pick<ForgedCRes, "threeDSServerTransID" | "acsTransID">): Promise<string> {
  const message = { messageType: "CReq", messageVersion: "2.3.1", challengeWindowSize: "02", ...ids };
  const body = new URLSearchParams({ creq: Buffer.from(JSON.stringify(message)).toString("base64url") });
  const response = await fetch(`${addresses.bankApi}/acs/challenge`, { method: "POST", body, redirect: "manual" });
  return await response.text();
}

/** Enters the code on the bank's page from an unrelated window. */
export async function submitCodeDirectly(acsTransID: string, code: string): Promise<void> {
  const body = new URLSearchParams({ acsTransID, action: "submit", tries: "0", code });
  const response = await fetch(`${addresses.bankApi}/acs/challenge/answer`, {
    method: "POST",
    body,
    redirect: "manual",
  });
  if (!response.ok) throw new Error(`The bank's page responded ${response.status}`);
}
