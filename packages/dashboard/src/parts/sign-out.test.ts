import { createElement } from "react";
import { expect, it, vi } from "vitest";
import { UserMenu } from "../layout/user-menu.tsx";
import { SetUpSecondFactor } from "../pages/sign-in/set-up-second-factor.tsx";
import { showPage } from "../testing/show-page.ts";

const login = { id: "login_1", name: "Robin Weaver", email: "robin@shop.example", has_second_factor: true };

const find = (name: string) =>
  [...document.querySelectorAll("button")].find((each) =>
    [each.getAttribute("aria-label"), each.textContent].includes(name),
  );

it.each([
  ["the user menu", () => createElement(UserMenu, { login }), ["Signed in as Robin Weaver", "Sign out"]],
  ["the setup of a second factor", SetUpSecondFactor, ["Sign out"]],
])("signing out in %s says that the user may still be signed in if it fails", async (_name, Page, buttons) => {
  vi.stubGlobal("fetch", async (path: string) => {
    if (path === "/auth/sign-out") throw new TypeError("Failed to fetch");
    return Response.json({ login, memberships: [], is_operator: false });
  });
  showPage(Page);
  for (const name of buttons) {
    await vi.waitFor(() => expect(find(name)).toBeDefined());
    find(name)?.click();
  }
  const alert = () => document.querySelector("[role=alert]")?.textContent;
  await vi.waitFor(() => expect(alert()).toContain("You may still be signed in. Can't reach the service."));
});
