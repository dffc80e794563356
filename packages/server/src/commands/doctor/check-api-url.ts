/**
 * Checks that the acquirer can send 3-D Secure results to `ORIEL_API_URL`: requests that URL as the acquirer would,
 * through DNS, TLS and any proxy, and checks that this installation responds. No key of the acquirer is sent, because
 * another server could receive it.
 *
 * This machine's network may differ from the acquirer's, for example if a firewall admits only one of them.
 */
import { randomBytes } from "node:crypto";
import { identityPath, signedIdentity } from "../../http/routes/identity.ts";
import type { Config } from "../../platform/config.ts";
import type { ServerKeys } from "../../platform/server-keys.ts";
import type { Finding } from "./finding.ts";

const timeoutMs = 5_000;
/** What a proxy responds while no process of the service runs behind it. */
const proxyErrors = [502, 503, 504];

export async function checkApiUrl(
  { apiUrl, acquirer, host, port }: Pick<Config, "apiUrl" | "acquirer" | "host" | "port">,
  keys: ServerKeys,
): Promise<Finding> {
  if (isLoopback(apiUrl) && !isLoopback(acquirer.url)) {
    return {
      verdict: "failed",
      found: `${apiUrl} is this machine's own address, which the acquirer at ${acquirer.url} can't reach`,
      todo: "set ORIEL_API_URL to a URL that the acquirer can reach",
    };
  }
  const probe = await request(apiUrl, keys);
  if (probe.kind === "here") return { verdict: "ok", found: `${apiUrl} reaches this installation` };
  const found = `${apiUrl}: ${probe.what}`;
  if (probe.kind === "wrong") return { verdict: "failed", found, todo: probe.todo };
  const isRunning = (await request(`http://${host.includes(":") ? `[${host}]` : host}:${port}`, keys)).kind === "here";
  if (isRunning) return { verdict: "failed", found, todo: probe.todo };
  return {
    verdict: "warning",
    found,
    todo: `if the service isn't running yet, start it and run this command again. Otherwise, ${probe.todo}`,
  };
}

type Probe =
  | { kind: "here" }
  /** `none`: perhaps only because the service isn't running. */
  | { kind: "wrong" | "none"; what: string; todo: string };

async function request(origin: string, keys: ServerKeys): Promise<Probe> {
  const nonce = randomBytes(24).toString("base64url");
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${origin}${identityPath}?nonce=${nonce}`, {
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    text = (await response.text()).slice(0, 1000);
  } catch (error) {
    return describeFailure(error, origin);
  }
  if (keys.isSignatureOf(proofIn(text), signedIdentity(nonce))) return { kind: "here" };
  const { status } = response;
  if (status >= 300 && status < 400) {
    const target = response.headers.get("location") ?? "another URL";
    return {
      kind: "wrong",
      what: `it redirects to ${target}, and acquirers don't follow redirects`,
      todo: "set ORIEL_API_URL to the URL that it redirects to, or serve the API there",
    };
  }
  if (proxyErrors.includes(status))
    return {
      kind: "none",
      what: `a proxy responds with ${status}`,
      todo: "check the address of the service in the proxy's configuration",
    };
  return {
    kind: "wrong",
    what: `a server responds with ${status}, but not as this installation`,
    todo: "check that ORIEL_API_URL and the proxy lead to this installation, and that every process has the same key files and version",
  };
}

function proofIn(text: string): string {
  try {
    const { proof } = JSON.parse(text) as { proof?: unknown }; // checked below
    return typeof proof === "string" ? proof : "";
  } catch {
    return "";
  }
}

/** The causes of a failed request that a person can do something about. Others are shown as they are. */
function describeFailure(error: unknown, origin: string): Probe {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const { hostname } = new URL(origin);
  if (code === "ECONNREFUSED")
    return {
      kind: "none",
      what: "the connection was refused",
      todo: "check the host and port in ORIEL_API_URL, and the proxy or load balancer in front of the service",
    };
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return {
      kind: "wrong",
      what: `there is no DNS entry for ${hostname}`,
      todo: "correct ORIEL_API_URL, or add the DNS entry",
    };
  if (code === "CERT_HAS_EXPIRED")
    return { kind: "wrong", what: "its TLS certificate has expired", todo: "renew the certificate" };
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return {
      kind: "wrong",
      what: `its TLS certificate isn't for ${hostname}`,
      todo: "correct ORIEL_API_URL, or install a certificate for that name",
    };
  if (/SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_/.test(code))
    return {
      kind: "wrong",
      what: `its TLS certificate isn't trusted (${code})`,
      todo: "install a certificate from a public authority, together with its intermediate certificates",
    };
  if (code === "EPROTO" || code.startsWith("ERR_SSL"))
    return {
      kind: "wrong",
      what: "the server doesn't speak TLS on this port",
      todo: "correct the port in ORIEL_API_URL, or put a TLS proxy in front of the service",
    };
  const isLate = (error instanceof Error && error.name === "TimeoutError") || /TIMEDOUT|TIMEOUT/.test(code);
  const what = isLate
    ? `no response within ${timeoutMs / 1000} seconds`
    : cause instanceof Error
      ? cause.message
      : "no response";
  return { kind: "none", what, todo: "check ORIEL_API_URL and that firewalls allow the connection" };
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(127\..*|\[::1\]|localhost|.*\.localhost)$/.test(hostname);
}
