import { compactDecrypt, exportJWK, generateKeyPair } from "jose";
import { describe, expect, it } from "vitest";
import type { CardEncryption, CardMessage } from "@oriel/protocol/frame";
import { encryptCard } from "./encrypt-card.ts";

const card: CardMessage = {
  number: "4242424242424242",
  exp_month: 12,
  exp_year: 2034,
  cvc: "123",
  session_id: "cs_1",
  nonce: "nonce-1",
};

async function createVault() {
  const { publicKey, privateKey } = await generateKeyPair("ECDH-ES+A256KW", { crv: "P-256", extractable: true });
  const { x = "", y = "" } = await exportJWK(publicKey);
  const encryption: CardEncryption = { key: { kty: "EC", crv: "P-256", x, y, kid: "vault-1" }, nonce: "nonce-1" };
  const decrypt = (jwe: string) =>
    compactDecrypt(jwe, privateKey, {
      keyManagementAlgorithms: ["ECDH-ES+A256KW"],
      contentEncryptionAlgorithms: ["A256GCM"],
    });
  return { encryption, decrypt };
}

describe("an encrypted card", () => {
  it("can be decrypted by an independent implementation of RFC 7516", async () => {
    const vault = await createVault();
    const { plaintext, protectedHeader } = await vault.decrypt(await encryptCard(card, vault.encryption, crypto));
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toEqual(card);
    expect(Object.keys(protectedHeader).sort()).toEqual(["alg", "enc", "epk", "kid"]);
    expect(protectedHeader).toMatchObject({ alg: "ECDH-ES+A256KW", enc: "A256GCM", kid: "vault-1" });
    expect(Object.keys(protectedHeader["epk"] ?? {}).sort()).toEqual(["crv", "kty", "x", "y"]);
  });

  it("shares no part with another encryption of the same card", async () => {
    const vault = await createVault();
    const [first, second] = await Promise.all([1, 2].map(() => encryptCard(card, vault.encryption, crypto)));
    const parts = new Set([...(first?.split(".") ?? []), ...(second?.split(".") ?? [])]);
    expect(parts.size).toBe(10);
  });

  it("can't be decrypted with another vault's key", async () => {
    const [vault, other] = [await createVault(), await createVault()];
    await expect(other.decrypt(await encryptCard(card, vault.encryption, crypto))).rejects.toThrow(
      "decryption operation failed",
    );
  });

  it("is rejected if one character has changed", async () => {
    const vault = await createVault();
    const parts = (await encryptCard(card, vault.encryption, crypto)).split(".");
    const body = parts[3] ?? "";
    parts[3] = (body.startsWith("A") ? "B" : "A") + body.slice(1);
    await expect(vault.decrypt(parts.join("."))).rejects.toThrow("decryption operation failed");
  });

  it("is far below the limit of 8 kB", async () => {
    const vault = await createVault();
    expect((await encryptCard(card, vault.encryption, crypto)).length).toBeLessThan(1000);
  });
});
