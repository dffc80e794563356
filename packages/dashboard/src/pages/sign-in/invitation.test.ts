import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../api/query-client.ts";
import { storeInvitation, waitingInvitation } from "../../api/waiting-invitation.ts";
import { closePage, showPage } from "../../testing/show-page.ts";
import { Invitation } from "./invitation.tsx";
import { NoAccount } from "./no-account.tsx";
import { SignUp } from "./sign-up.tsx";

const invited = "guest@shop.example";
const linked = { status: "open", email: invited, account_name: "Kiln Street", invited_by: "robin@shop.example" };
let responses: Record<string, unknown>;
let refusal: { code: string; message: string };
let sent: [path: string, body: unknown][];

beforeEach(() => {
  responses = {
    "/auth/invitations/read": linked,
    "/auth/sign-out": {},
    "/auth/invitations/accept": { account_id: "a" },
  };
  refusal = { code: "sign_in_required", message: "Sign in." };
  sent = [];
  vi.stubGlobal("fetch", async (path: string, { body }: { body: string | null }) => {
    sent.push([path, body === null ? null : JSON.parse(body)]);
    if (responses[path] !== undefined) return Response.json(responses[path]);
    return Response.json({ error: refusal }, { status: 401 });
  });
  storeInvitation("a-token-from-the-link");
});
afterEach(() => sessionStorage.clear());

const signedInAs = (email: string, memberships: object[] = []) => {
  responses["/auth/me"] = { login: { email, has_second_factor: true }, memberships, is_operator: false };
};
const text = () => document.body.textContent;
const nameField = () => document.querySelector<HTMLInputElement>("input[autocomplete=name]");
const press = (name: string) =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent === name)?.click();

describe("the page of an invitation", () => {
  it("leads somebody who isn't signed in to signing up with the invited email, without a business name", async () => {
    showPage(Invitation);
    await vi.waitFor(() => expect(text()).toContain("Sign up or sign in with this email address"));
    expect(text()).toContain("robin@shop.example invited guest@shop.example to the team of Kiln Street");
    closePage();
    showPage(SignUp);
    await vi.waitFor(() => expect(document.querySelector<HTMLInputElement>("input[type=email]")?.value).toBe(invited));
    expect(text()).not.toContain("Business name");
  });

  it("says that a link doesn't work, and forgets it", async () => {
    delete responses["/auth/invitations/read"];
    refusal = { code: "link_invalid", message: "This invitation is invalid." };
    showPage(Invitation);
    await vi.waitFor(() => expect(text()).toContain("This invitation is invalid."));
    expect(waitingInvitation()).toBeNull();
  });

  it.each([
    ["link_invalid", null],
    ["internal_error", "a-token-from-the-link"],
  ])("keeps what was typed into the sign-up form when reading failed with %s and is repeated", async (code, stored) => {
    delete responses["/auth/invitations/read"];
    refusal = { code, message: "It failed." };
    showPage(SignUp);
    await vi.waitFor(() => expect(nameField()).not.toBeNull());
    expect(waitingInvitation()).toBe(stored);
    const field = nameField();
    let respond = (_response: Response) => {};
    vi.stubGlobal("fetch", async () => await new Promise<Response>((resolve) => (respond = resolve)));
    void queryClient.refetchQueries({ queryKey: ["invitation"] });
    await vi.waitFor(() => expect(queryClient.isFetching()).toBe(1));
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve)); // until it is rendered
    expect(nameField()).toBe(field);
    respond(Response.json(linked));
    await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(nameField()).toBe(field);
    expect(text()).toContain("Business name");
  });

  it("lets the invited user accept", async () => {
    signedInAs(invited);
    showPage(Invitation);
    await vi.waitFor(() => expect(text()).toContain("Accept invitation"));
    press("Accept invitation");
    await vi.waitFor(() =>
      expect(sent.at(-1)).toEqual(["/auth/invitations/accept", { token: "a-token-from-the-link" }]),
    );
    await vi.waitFor(() => expect(waitingInvitation()).toBeNull());
  });

  it("tells another user who it is for, and keeps it while they sign out", async () => {
    signedInAs("other@shop.example");
    showPage(Invitation);
    await vi.waitFor(() => expect(text()).toContain("You're signed in as other@shop.example"));
    expect(text()).not.toContain("Accept invitation");
    press("Sign out and continue");
    await vi.waitFor(() => expect(sent.map(([path]) => path)).toContain("/auth/sign-out"));
    expect(waitingInvitation()).toBe("a-token-from-the-link");
  });

  it.each([
    ["accepted", "has already been accepted"],
    ["revoked", "was revoked or replaced"],
    ["expired", "has expired"],
  ])("says that an invitation was %s, and forgets it", async (status, words) => {
    responses["/auth/invitations/read"] = { ...linked, status };
    showPage(Invitation);
    await vi.waitFor(() => expect(text()).toContain(words));
    expect(waitingInvitation()).toBeNull();
  });
});

describe("the start page of a user without a team", () => {
  it("lists the user's invitations, because they may have come from another tab", async () => {
    signedInAs(invited);
    responses["/auth/invitations"] = { data: [{ ...linked, id: "inv_1", role: "support", expires: 0 }] };
    showPage(NoAccount);
    await vi.waitFor(() => expect(text()).toContain("invited you to the team of Kiln Street with the role Support"));
    press("Accept invitation");
    await vi.waitFor(() => expect(sent.at(-1)).toEqual(["/auth/invitations/accept", { id: "inv_1" }]));
  });

  it("goes to the account of a user who is a member of a team by now", async () => {
    signedInAs(invited, [{ account_id: "acct_1" }]);
    responses["/auth/invitations"] = { data: [] };
    showPage(NoAccount);
    await vi.waitFor(() => expect(sent.map(([path]) => path)).toContain("/auth/invitations"));
    await vi.waitFor(() => expect(document.querySelector("h1, [role=status]")).toBeNull()); // it's another page now
  });

  it("says which email address to invite if there is no invitation", async () => {
    signedInAs(invited);
    responses["/auth/invitations"] = { data: [] };
    showPage(NoAccount);
    await vi.waitFor(() => expect(text()).toContain(`to invite ${invited}`));
  });
});
