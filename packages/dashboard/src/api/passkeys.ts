/**
 * Passkeys in this browser: it asks for a finger, a face or a PIN and signs what the service asks, on this origin only.
 * What the browser says no to becomes a {@link Refusal} like the service's own.
 */
import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  WebAuthnError,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { ask } from "./ask.ts";
import { Refusal } from "./refusal.ts";

export const hasPasskeys = browserSupportsWebAuthn();

/** Signs in by itself: a passkey is both factors. The device says who it is. */
export async function signInWithPasskey(): Promise<void> {
  const optionsJSON = await ask<PublicKeyCredentialRequestOptionsJSON>("/auth/passkeys/authentication", {
    method: "POST",
    isAboutSigningIn: true,
  });
  const response = await startAuthentication({ optionsJSON }).catch(refuse);
  await ask("/auth/passkeys/sign-in", { method: "POST", body: { response }, isAboutSigningIn: true });
}

/** Instead of password and code. */
export async function stepUpWithPasskey(): Promise<void> {
  const optionsJSON = await ask<PublicKeyCredentialRequestOptionsJSON>("/auth/step-up/passkey-options", {
    method: "POST",
  });
  const response = await startAuthentication({ optionsJSON }).catch(refuse);
  await ask("/auth/step-up/passkey", { method: "POST", body: { response } });
}

/** @param name by which the reader knows it in the list */
export async function addPasskey({ name, password }: { name: string; password: string }): Promise<void> {
  const optionsJSON = await ask<PublicKeyCredentialCreationOptionsJSON>("/auth/passkeys/registration", {
    method: "POST",
    body: { password },
  });
  const response = await startRegistration({ optionsJSON }).catch(refuse);
  await ask("/auth/passkeys", { method: "POST", body: { name, response } });
}

function refuse(reason: unknown): never {
  const name = reason instanceof Error ? reason.name : "";
  if (reason instanceof WebAuthnError && reason.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED")
    throw new Refusal("This device has a passkey of this login already.", { code: "passkey_known", status: 0 });
  // The browser does not tell which of the two it was: a page must not learn which passkeys there are.
  if (name === "NotAllowedError" || name === "AbortError")
    throw new Refusal("The browser gave no passkey: it was canceled, took too long, or there is none for this login.", {
      code: "passkey_refused",
      status: 0,
    });
  throw new Refusal("This browser or device could not do that. Try another one.", {
    code: "passkey_failed",
    status: 0,
  });
}
