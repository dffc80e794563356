/**
 * Creates certificates for tests on demand, so that nothing in the repository expires and no private key is stored in
 * it. Contains the part of X.509 that Node's TLS requires (RFC 5280; P-256 with SHA-256, RFC 5758), written in DER by
 * hand.
 */
import { generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

export interface CertificateAuthority {
  /** The certificate of this authority, as PEM, for clients that should trust it. */
  certificate: string;
  /** Creates a certificate for a server, signed by this authority. */
  issue(names: string[], validity?: Validity): ServerCertificate;
}

export interface ServerCertificate {
  key: string;
  cert: string;
}

interface Validity {
  from: Date;
  until: Date;
}

const day = 24 * 60 * 60 * 1000;

export function createAuthority(name: string): CertificateAuthority {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const own = {
    issuer: name,
    signedWith: keys.privateKey,
    subject: name,
    publicKey: keys.publicKey,
    validity: aroundNow(),
  };
  return {
    certificate: certificate({ ...own, extensions: [basicConstraints(true)] }),
    issue(names, validity = aroundNow()) {
      const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const extensions = [basicConstraints(false), subjectAltName(names)];
      return {
        key: pkcs8(privateKey),
        cert: certificate({
          issuer: name,
          signedWith: keys.privateKey,
          subject: "server",
          publicKey,
          validity,
          extensions,
        }),
      };
    },
  };
}

/** A self-signed certificate. */
export function selfSigned(names: string[]): ServerCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const own = { issuer: "self", signedWith: privateKey, subject: "self", publicKey, validity: aroundNow() };
  return { key: pkcs8(privateKey), cert: certificate({ ...own, extensions: [subjectAltName(names)] }) };
}

export function expired(): Validity {
  return { from: new Date(Date.now() - 30 * day), until: new Date(Date.now() - day) };
}

export function notYetValid(): Validity {
  return { from: new Date(Date.now() + day), until: new Date(Date.now() + 30 * day) };
}

function aroundNow(): Validity {
  return { from: new Date(Date.now() - day), until: new Date(Date.now() + day) };
}

interface Contents {
  issuer: string;
  signedWith: KeyObject;
  subject: string;
  publicKey: KeyObject;
  validity: Validity;
  extensions: Buffer[];
}

function certificate({ issuer, signedWith, subject, publicKey, validity, extensions }: Contents): string {
  const algorithm = sequence(objectId("2a8648ce3d040302")); // ecdsa-with-SHA256
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.of(2))), // version 3
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])), // serial number
    algorithm,
    commonName(issuer),
    sequence(time(validity.from), time(validity.until)),
    commonName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = der(0x03, Buffer.of(0), sign("sha256", toSign, signedWith));
  const lines = sequence(toSign, algorithm, signature)
    .toString("base64")
    .replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from(name)))));
}

function time(at: Date): Buffer {
  return der(0x18, Buffer.from(at.toISOString().replace(/[-:T]|\.\d+/g, "")));
}

function basicConstraints(isAuthority: boolean): Buffer {
  const value = sequence(...(isAuthority ? [der(0x01, Buffer.of(0xff))] : []));
  return sequence(objectId("551d13"), der(0x01, Buffer.of(0xff)), der(0x04, value));
}

/** DNS names, or IPv4 addresses for names that look like one. */
function subjectAltName(names: string[]): Buffer {
  const entries = names.map((name) =>
    /^\d+(\.\d+){3}$/.test(name) ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name)),
  );
  return sequence(objectId("551d11"), der(0x04, sequence(...entries)));
}

function pkcs8(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const size = Buffer.from(value.length.toString(16).padStart(value.length < 256 ? 2 : 4, "0"), "hex");
  const length = value.length < 128 ? size : Buffer.concat([Buffer.of(0x80 | size.length), size]);
  return Buffer.concat([Buffer.of(tag), length, value]);
}
