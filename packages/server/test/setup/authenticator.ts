/**
 * A WebAuthn authenticator in software, with ES256 and no attestation. Options can make each property of a response
 * false.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import type { Json } from "./test-service.ts";

export interface Forgery {
  origin?: string;
  /** The host of another site, to be used instead of ours. */
  rpId?: string;
  /** By default, the user was present and verified. */
  userVerified?: false;
  challenge?: string;
  counter?: number;
  /** Signs with a different key from the one that was registered. */
  key?: "another";
}

export interface Authenticator {
  /** What `navigator.credentials.create` returns, as JSON. */
  create(options: Json, forgery?: Forgery): object;
  /** What `navigator.credentials.get` returns, as JSON. */
  get(options: Json, forgery?: Forgery): object;
}

export function newAuthenticator(origin: string): Authenticator {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  let counter = 0;
  const clientData = (type: string, { challenge }: Json, forgery: Forgery) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: forgery.challenge ?? challenge,
        origin: forgery.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const head = (forgery: Forgery, hasCredential: boolean) => {
    const flags = 0x01 | (forgery.userVerified === false ? 0 : 0x04) | (hasCredential ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(forgery.counter ?? ++counter);
    return Buffer.concat([sha256(forgery.rpId ?? new URL(origin).hostname), Buffer.of(flags), count]);
  };
  const credential = {
    id: id.toString("base64url"),
    rawId: id.toString("base64url"),
    type: "public-key",
    clientExtensionResults: {},
  };
  return {
    create(options, forgery = {}) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const authData = Buffer.concat([
        head(forgery, true),
        Buffer.alloc(16),
        length,
        id,
        cosePublicKey(pair.publicKey),
      ]);
      const attestation = cbor(
        new Map<string, unknown>([
          ["fmt", "none"],
          ["attStmt", new Map()],
          ["authData", authData],
        ]),
      );
      return {
        ...credential,
        response: {
          clientDataJSON: clientData("webauthn.create", options, forgery).toString("base64url"),
          attestationObject: attestation.toString("base64url"),
          transports: ["internal"],
        },
      };
    },
    get(options, forgery = {}) {
      const authData = head(forgery, false);
      const data = clientData("webauthn.get", options, forgery);
      const key = forgery.key ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : pair.privateKey;
      return {
        ...credential,
        response: {
          clientDataJSON: data.toString("base64url"),
          authenticatorData: authData.toString("base64url"),
          signature: sign("sha256", Buffer.concat([authData, sha256(data)]), key).toString("base64url"),
        },
      };
    },
  };
}

/** RFC 9053, 7.1.1: an EC2 key for ES256. */
function cosePublicKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  return cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]),
  );
}

/** The part of RFC 8949 that this needs. */
function cbor(value: unknown): Buffer {
  if (typeof value === "number") return value < 0 ? header(1, -1 - value) : header(0, value);
  if (typeof value === "string") return Buffer.concat([header(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([header(2, value.length), value]);
  if (value instanceof Map)
    return Buffer.concat([
      header(5, value.size),
      ...[...value].flatMap(([name, member]) => [cbor(name), cbor(member)]),
    ]);
  throw new Error("This type of value isn't supported here");
}

function header(major: number, count: number): Buffer {
  if (count < 24) return Buffer.of((major << 5) | count);
  return count < 256 ? Buffer.of((major << 5) | 24, count) : Buffer.of((major << 5) | 25, count >> 8, count & 255);
}

function sha256(data: string | Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}
