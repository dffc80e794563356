/** Signs out. If that fails, it says so, because users who believe that they are signed out leave their computer. */
import { notifications } from "@mantine/notifications";
import { requestErrorOf } from "../api/api-error.ts";
import { ask } from "../api/request.ts";
import { forgetInvitation } from "../api/waiting-invitation.ts";

export async function signOut(): Promise<void> {
  try {
    await ask("/auth/sign-out", { method: "POST", isAboutSigningIn: true });
  } catch (error) {
    const message = `You may still be signed in. ${requestErrorOf(error).message}`;
    notifications.show({ id: "sign-out", color: "red", message, autoClose: false });
    return;
  }
  forgetInvitation();
  globalThis.location.assign("/sign-in"); // a reload discards everything that this page has cached
}
