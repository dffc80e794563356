/**
 * Uses passkeys through WebAuthn. The browser verifies the user (fingerprint, face or PIN) and signs the service's
 * challenge, for this origin only. Its errors become {@link RequestError}s.
 */
import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  WebAuthnError,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { RequestError } from "./api-error.ts";
import { request } from "./request.ts";

export const hasPasskeys = browserSupportsWebAuthn();

/** Signs in with a passkey alone, which counts as both factors and identifies the user. */
export async function signInWithPasskey(): Promise<void> {
  const optionsJSON = await request<PublicKeyCredentialRequestOptionsJSON>("/auth/passkeys/authentication", {
    method: "POST",
    isAboutSigningIn: true,
  });
  const response = await startAuthentication({ optionsJSON }).catch(refuse);
  await request("/auth/passkeys/sign-in", { method: "POST", body: { response }, isAboutSigningIn: true });
}

/** Confirms the user's identity with a passkey instead of password and code. */
export async function stepUpWithPasskey(): Promise<void> {
  const optionsJSON = await request<PublicKeyCredentialRequestOptionsJSON>("/auth/step-up/passkey-options", {
    method: "POST",
  });
  const response = await startAuthentication({ optionsJSON }).catch(refuse);
  await request("/auth/step-up/passkey", { method: "POST", body: { response } });
}

/** @param name shown in the user's list of passkeys */
export async function addPasskey({ name, password }: { name: string; password: string }): Promise<void> {
  const optionsJSON = await request<PublicKeyCredentialCreationOptionsJSON>("/auth/passkeys/registration", {
    method: "POST",
    body: { password },
  });
  const response = await startRegistration({ optionsJSON }).catch(refuse);
  await request("/auth/passkeys", { method: "POST", body: { name, response } });
}

function refuse(reason: unknown): never {
  const name = reason instanceof Error ? reason.name : "";
  if (reason instanceof WebAuthnError && reason.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED")
    throw new RequestError("You already have a passkey on this device.", { code: "passkey_known", status: 0 });
  // Browsers report the same error for all these causes, so that pages can't find out which passkeys exist.
  if (name === "NotAllowedError" || name === "AbortError")
    throw new RequestError("No passkey was used. You canceled, it timed out, or this device has no passkey for you.", {
      code: "passkey_refused",
      status: 0,
    });
  throw new RequestError("This browser or device can't use passkeys here. Try another one.", {
    code: "passkey_failed",
    status: 0,
  });
}
