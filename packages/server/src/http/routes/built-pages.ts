/** Reads and sends the pages of `dist/checkout`. They don't depend on the session, except for their headers. */
import { join } from "node:path";
import type { FastifyReply } from "fastify";
import { OperatorError } from "@oriel/commands/operator-error";
import { languages } from "@oriel/protocol/languages";
import { pageHeaders, type PageName, type PageRequest } from "@oriel/protocol/page-headers";
import { readBuilt } from "../embed/read-built.ts";
import { sendCompressed } from "./send-compressed.ts";

export interface BuiltPage {
  html: Buffer;
  /** Quoted source expressions for the CSP. */
  scripts: string[];
  styles: string[];
}

export interface BuiltPages extends Readonly<Record<Exclude<PageName, "checkout">, BuiltPage>> {
  /** By language. */
  checkout: ReadonlyMap<string, BuiltPage>;
}

/** An entry of `pages.json`: the page's file name, or its file names by language. */
type ManifestEntry = Omit<BuiltPage, "html"> & { html: string | Record<string, string> };

/** @throws OperatorError if the build is missing or older than this service */
export function readPages(directory: string): BuiltPages {
  const path = join(directory, "pages.json");
  const manifest = JSON.parse(readBuilt(path).toString()) as Partial<Record<PageName, ManifestEntry>>; // written by the build
  const find = (name: PageName, language?: string): BuiltPage => {
    const page = manifest[name];
    const html = typeof page?.html === "object" && language ? page.html[language] : page?.html;
    if (page === undefined || typeof html !== "string") {
      const what = language ? `"${name}" in "${language}"` : `"${name}"`;
      throw new OperatorError(
        `${path} has no page ${what}. Run \`npm run build\` first. \`npm start\` does this automatically.`,
      );
    }
    return { ...page, html: readBuilt(join(directory, html)) };
  };
  return {
    checkout: new Map(languages.map((language) => [language, find("checkout", language)])),
    runner: find("runner"),
    landing: find("landing"),
    why: find("why"),
  };
}

/** Sends a page with its headers from `protocol/page-headers.ts`. */
export function sendPage(
  reply: FastifyReply,
  name: PageName,
  { html, ...code }: BuiltPage,
  request: PageRequest,
): FastifyReply {
  return sendCompressed(reply.headers(pageHeaders(name, code, request)), html);
}
