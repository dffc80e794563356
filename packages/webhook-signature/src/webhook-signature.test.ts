import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { newSigningSecret, signatureHeaders, webhookHeaders } from "./webhook-signature.ts";

const now = () => Math.floor(Date.now() / 1000);

describe("newSigningSecret", () => {
  it("returns 32 random bytes, different each time", () => {
    const secrets = Array.from({ length: 100 }, newSigningSecret);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
      expect(Buffer.from(secret.slice("whsec_".length), "base64")).toHaveLength(32);
    }
    expect(new Set(secrets).size).toBe(100);
  });
});

describe("signatureHeaders", () => {
  it("follows both schemes, over the exact bytes of the body", () => {
    const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    const body = '{"a":"ü 🎈"}';
    expect(signatureHeaders([secret], "evt_1", 1_700_000_000, body)).toEqual({
      "oriel-signature": `t=1700000000,v1=${createHmac("sha256", secret).update(`1700000000.${body}`).digest("hex")}`,
      "webhook-id": "evt_1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": `v1,${createHmac("sha256", "0123456789abcdef0123456789abcdef").update(`evt_1.1700000000.${body}`).digest("base64")}`,
    });
  });

  it("signs with every secret during an overlap, so that receivers can use either one", () => {
    const [newer, older] = [newSigningSecret(), newSigningSecret()];
    const json = JSON.stringify({ object: "event" });
    const headers = signatureHeaders([newer, older], "evt_1", now(), json);
    for (const secret of [newer, older]) {
      expect(new Webhook(secret).verify(json, headers)).toEqual({ object: "event" });
      expect(Stripe.webhooks.constructEvent(json, headers["oriel-signature"] ?? "", secret)).toEqual({
        object: "event",
      });
    }
  });

  it.each(["", "{}", "ü 🎈", "a.b.c", " {}\n", "x".repeat(100_000)])(
    "returns signatures for %j that the libraries of Stripe and Standard Webhooks accept for this body only",
    (body) => {
      const secret = newSigningSecret();
      const headers = signatureHeaders([secret], "evt_1", now(), body);
      const standard = new Webhook(secret);
      const json = JSON.stringify({ object: "event", body });
      const signed = signatureHeaders([secret], "evt_1", now(), json);
      expect(standard.verify(json, signed)).toEqual({ object: "event", body });
      expect(Stripe.webhooks.constructEvent(json, signed["oriel-signature"] ?? "", secret)).toMatchObject({ body });
      expect(() => standard.verify(`${json} `, signed)).toThrow("No matching signature");
      expect(() => standard.verify(json, headers)).toThrow("No matching signature");
      expect(() => Stripe.webhooks.constructEvent(json, headers["oriel-signature"] ?? "", secret)).toThrow(
        "signatures",
      );
      const late = signatureHeaders([secret], "evt_1", now() - 301, json);
      expect(() => standard.verify(json, late)).toThrow("timestamp");
      expect(() => Stripe.webhooks.constructEvent(json, late["oriel-signature"] ?? "", secret)).toThrow("Timestamp");
    },
  );
});

describe("webhookHeaders", () => {
  it("returns the content type, the user agent and the signatures", () => {
    const secrets = [newSigningSecret()];
    expect(webhookHeaders(secrets, "evt_1", 1_700_000_000, "{}")).toEqual({
      "content-type": "application/json; charset=utf-8",
      "user-agent": "Oriel-Webhooks/1",
      ...signatureHeaders(secrets, "evt_1", 1_700_000_000, "{}"),
    });
  });
});
