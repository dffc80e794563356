/** A customer who pays a session on the full page and passes the bank's challenge, in a real browser. */
import { chromium } from "@playwright/test";
import { requireChromium } from "../browsers.ts";

/** @throws Error if the session isn't paid */
export async function payInBrowser(key: string): Promise<void> {
  // The certificate is from the trial's own authority.
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  const api = async (method: string, path: string, body?: object) => {
    const response = await fetch(`https://api.example.com/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { "content-type": "application/json", "idempotency-key": `browser-${path}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, unknown>; // the API documents it
  };
  // The API documents the response.
  const { session, embed_url } = (await api("POST", "checkout_sessions", { amount: 4900, currency: "eur" })) as {
    session: { id: string };
    embed_url: string;
  };
  const browser = await chromium.launch({ executablePath: requireChromium().path, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    await page.goto(embed_url);
    for (const [label, text] of [
      ["Card number", "4000002760003184"],
      ["Expiry", "1235"],
      ["CVC", "123"],
    ] as const)
      await page.getByLabel(label, { exact: true }).pressSequentially(text);
    await page.getByTestId("oriel-pay").click();
    for (let waited = 0; waited < 300; waited++) {
      const frame = page.frames().find((one) => one.url().startsWith("https://bank.example.com/acs/challenge"));
      const code = frame?.getByLabel("Code");
      if (code && (await code.isVisible().catch(() => false))) {
        await code.fill("111111");
        await frame?.getByRole("button", { name: "Submit" }).click();
        break;
      }
      await page.waitForTimeout(100);
    }
    for (let waited = 0; waited < 300; waited++) {
      const { status } = await api("GET", `checkout_sessions/${session.id}`);
      if (status === "complete") return;
      await page.waitForTimeout(100);
    }
    throw new Error(`The session isn't paid. The page says: ${await page.locator("body").innerText()}`);
  } finally {
    await browser.close();
  }
}
