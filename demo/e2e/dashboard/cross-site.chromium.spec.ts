/**
 * Pages of other sites can't do anything on behalf of a user who is signed in to the dashboard. As a control, the
 * dashboard's own page can.
 */
import { expect, test, type Page } from "@playwright/test";
import { addresses } from "../urls.ts";
import { request, newMerchant, type Visitor } from "./visitor.ts";

/** How many sessions and invitations there are, according to the service. */
async function stateOf(page: Page, { accountId }: Visitor) {
  const { sessions } = await request<{ sessions: object[] }>(page, "GET", "/auth/security");
  const { invitations } = await request<{ invitations: object[] }>(page, "GET", `/data/${accountId}/test/team`);
  return { sessions: sessions.length, invitations: invitations.length };
}

test("forms, fetches and links on another site change nothing", { tag: "@quick" }, async ({ page, context }) => {
  const visitor = await newMerchant(page);
  const before = await stateOf(page, visitor);
  expect(before).toEqual({ sessions: 1, invitations: 0 });
  const invitations = `${addresses.dashboard}/data/${visitor.accountId}/test/team/invitations`;
  const body = JSON.stringify({ email: "eve@evil.example", role: "owner" });

  const evil = await context.newPage();
  await evil.goto(addresses.stranger);
  // Forms with every encoding. The responses load in an iframe of the page.
  for (const encoding of ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]) {
    const responded = evil.waitForResponse((response) => response.url() === invitations);
    await evil.evaluate(
      ([action, encoding, body]) => {
        const frame = document.createElement("iframe");
        frame.name = `response-${Math.random()}`;
        const form = document.createElement("form");
        Object.assign(form, { method: "post", action, enctype: encoding, target: frame.name });
        const field = document.createElement("input");
        // With text/plain, the browser sends the JSON followed by `=`.
        Object.assign(field, { type: "hidden", name: body, value: "" });
        form.append(field);
        document.body.append(frame, form);
        form.submit();
      },
      [invitations, encoding, body] as const,
    );
    expect((await responded).status()).toBe(403);
  }
  // Fetches with cookies: a simple request, and requests with a preflight. The simple one reaches the service, but the
  // browser hides the response from the page.
  const hidden = evil.waitForEvent("requestfailed", (request) =>
    /BLOCKED_BY_RESPONSE/.test(request.failure()?.errorText ?? ""),
  );
  const reached = await evil.evaluate(
    async ([url, body]) => {
      const requests: RequestInit[] = [
        { method: "POST", mode: "no-cors", credentials: "include", headers: { "content-type": "text/plain" }, body },
        { method: "POST", credentials: "include", headers: { "content-type": "application/json" }, body },
        { method: "DELETE", credentials: "include" },
      ];
      return await Promise.all(
        requests.map((init) =>
          fetch(url, init).then(
            ({ type, status }) => `${type} ${status}`,
            () => "refused",
          ),
        ),
      );
    },
    [invitations, body] as const,
  );
  expect(reached).toEqual(["refused", "refused", "refused"]);
  await hidden;
  // GET requests: images and navigation.
  for (const path of ["/auth/sign-out", "/auth/sessions/revoke-others"])
    await evil.evaluate(
      (src) =>
        new Promise<void>((done) => {
          const picture = new Image();
          for (const outcome of ["load", "error"]) picture.addEventListener(outcome, () => done());
          picture.src = src;
        }),
      `${addresses.dashboard}${path}`,
    );
  await evil.goto(`${addresses.dashboard}/auth/sign-out`);

  expect(await stateOf(page, visitor)).toEqual(before);
  await request(page, "POST", `/data/${visitor.accountId}/test/team/invitations`, {
    email: "ann@shop.example",
    role: "support",
  });
  expect(await stateOf(page, visitor)).toEqual({ sessions: 1, invitations: 1 });
});

test("other sites can't embed the dashboard in an iframe", { tag: "@quick" }, async ({ page }) => {
  await page.goto(addresses.stranger);
  const refused = page.waitForEvent("console", (message) => /frame-ancestors/.test(message.text()));
  await page.evaluate((src) => {
    const frame = document.createElement("iframe");
    frame.src = src;
    document.body.append(frame);
  }, `${addresses.dashboard}/sign-in`);
  await refused;
});

test(
  "the session cookie is hidden from scripts and not sent to other hosts",
  { tag: "@quick" },
  async ({ page, context }) => {
    await newMerchant(page);
    const [cookie, ...more] = (await context.cookies()).filter(({ name }) => name.includes("session_token"));
    expect(more).toEqual([]);
    expect(cookie).toMatchObject({ domain: "dashboard.localhost", httpOnly: true, sameSite: "Strict", path: "/" });
    expect(await page.evaluate(() => document.cookie)).toBe("");
  },
);
