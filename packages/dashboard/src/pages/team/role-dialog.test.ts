import { beforeEach, expect, it, vi } from "vitest";
import type { TeamMember } from "@oriel/protocol/dashboard/setup";
import { buttonOf, fieldOf } from "../../testing/fields.ts";
import { showPage } from "../../testing/show-page.ts";
import { Team } from "./team.tsx";

/** As the service has them. */
let member: TeamMember;
let sent: unknown[];

beforeEach(() => {
  sent = [];
  member = {
    login_id: "login_2",
    name: "Jo Thrower",
    email: "jo@shop.example",
    role: "support",
    created: 1,
    is_you: false,
  };
  vi.stubGlobal("fetch", async (_path: string, { method, body }: RequestInit) => {
    if (method === "GET") return Response.json({ members: [member], invitations: [] });
    const change = JSON.parse(String(body)) as { role: TeamMember["role"]; seen: string };
    sent.push(change);
    if (change.seen !== member.role)
      return Response.json(
        { error: { code: "changed_meanwhile", message: "ann@shop.example has changed this member's role." } },
        { status: 409 },
      );
    member = { ...member, role: change.role };
    return Response.json(member);
  });
});

const text = () => document.body.textContent;

it("shows the role that a colleague has chosen meanwhile, and replaces it only after the user has chosen so", async () => {
  showPage(Team);
  await vi.waitFor(() => buttonOf("Change role of Jo Thrower").click());
  await vi.waitFor(() => fieldOf("Developer").click());
  member = { ...member, role: "read_only" };
  await vi.waitFor(() => expect(submitButton()?.disabled).toBe(false));
  submitButton()?.click();
  await vi.waitFor(() => expect(text()).toContain("These values are saved now:RoleRead only"));
  expect(member.role).toBe("read_only");
  buttonOf("Keep my changes").click();
  await vi.waitFor(() => expect(text()).not.toContain("These values are saved now"));
  submitButton()?.click();
  await vi.waitFor(() => expect(member.role).toBe("developer"));
  expect(sent).toEqual([
    { role: "developer", seen: "support" },
    { role: "developer", seen: "read_only" },
  ]);
});

/** In the dialog. The table has buttons with the same text. */
function submitButton(): HTMLButtonElement | null {
  return document.querySelector("[role=dialog] button[type=submit]");
}
