/**
 * The pages that the build left in `dist/checkout`, and the headers that they all have.
 *
 * A page's bytes are the same for everyone; what differs is a header. Scripts and styles are allowed by hash, nothing from another origin is.
 */
import { join } from "node:path";
import type { FastifyReply } from "fastify";
import { bankFeatures } from "@oriel/protocol/windows";
import { readBuilt } from "../embed/read-built.ts";
import { OperatorError } from "../operator-error.ts";

export type PageName = "checkout" | "runner" | "landing" | "why";

export interface BuiltPage {
  html: string;
  /** Source expressions for the policy, quoted. */
  scripts: string[];
  styles: string[];
}

export type BuiltPages = Readonly<Record<PageName, BuiltPage>>;

/** What is one page's own. Without `frame-ancestors` anyone may hold it. */
export interface PageHeaders {
  policy: Record<"frame-src" | "form-action", string> & { "frame-ancestors"?: string };
  referrerPolicy: "no-referrer" | "strict-origin";
  /** Whether it is for a page under COEP. */
  coep: boolean;
}

/** @throws OperatorError where the build is missing, or older than this service */
export function readPages(directory: string): BuiltPages {
  const path = join(directory, "pages.json");
  const manifest = JSON.parse(readBuilt(path).toString()) as Partial<BuiltPages>; // written by the build
  const read = (name: PageName): BuiltPage => {
    const page = manifest[name];
    if (page === undefined) {
      throw new OperatorError(`${path} names no page "${name}". Run \`npm run build\` first; \`npm start\` does it by itself.`);
    }
    return { ...page, html: readBuilt(join(directory, page.html)).toString() };
  };
  return { checkout: read("checkout"), runner: read("runner"), landing: read("landing"), why: read("why") };
}

export function sendPage(
  reply: FastifyReply,
  { html, scripts, styles }: BuiltPage,
  { policy, referrerPolicy, coep }: PageHeaders,
): FastifyReply {
  const directives = {
    "default-src": "'none'",
    "script-src": scripts.join(" ") || "'none'",
    "style-src": styles.join(" ") || "'none'",
    "img-src": "data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    ...policy,
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
  };
  const csp = Object.entries(directives).map(([directive, value]) => `${directive} ${value}`);
  if (coep) void reply.header("cross-origin-embedder-policy", "require-corp");
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", csp.join("; "))
    .header("referrer-policy", referrerPolicy)
    .header("cross-origin-resource-policy", "cross-origin")
    .header("cross-origin-opener-policy", "same-origin")
    .header("permissions-policy", permissionsPolicy)
    .header("x-content-type-options", "nosniff")
    .header("cache-control", "no-store")
    .send(html);
}

/** What the bank's frames inside ours may need; the rest of the powerful features is nobody's. */
const permissionsPolicy = [
  ...bankFeatures.map((feature) => `${feature}=*`),
  ...["camera", "microphone", "geolocation", "display-capture", "usb", "serial", "hid", "midi", "fullscreen"].map(
    (feature) => `${feature}=()`,
  ),
].join(", ");
