/** Signs out. If that fails, it says so, because users who believe that they are signed out leave their computer. */
import { notifications } from "@mantine/notifications";
import { requestErrorOf } from "../api/api-error.ts";
import { request } from "../api/request.ts";
import { forgetInvitation } from "../api/waiting-invitation.ts";

/** @param to the page to open afterwards. Only `/invitation` keeps an invitation that the user is about to accept. */
export async function signOut(to: "/sign-in" | "/invitation" = "/sign-in"): Promise<void> {
  try {
    await request("/auth/sign-out", { method: "POST", isAboutSigningIn: true });
  } catch (error) {
    const message = `You may still be signed in. ${requestErrorOf(error).message}`;
    notifications.show({ id: "sign-out", color: "red", message, autoClose: false });
    return;
  }
  if (to === "/sign-in") forgetInvitation();
  globalThis.location.assign(to); // a reload discards everything that this page has cached
}
