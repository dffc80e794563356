/**
 * The pages that the build left in `dist/checkout`. A page's bytes are the same for everyone who reads its language;
 * what differs is who may hold it, which a header says.
 */
import { join } from "node:path";
import type { FastifyReply } from "fastify";
import { languages } from "@oriel/protocol/languages";
import { pageHeaders, type PageName, type PageRequest } from "@oriel/protocol/page-headers";
import { readBuilt } from "../embed/read-built.ts";
import { OperatorError } from "../../platform/operator-error.ts";
import { sendCompressed } from "./send-compressed.ts";

export interface BuiltPage {
  html: Buffer;
  /** Source expressions for the policy, quoted. */
  scripts: string[];
  styles: string[];
}

export interface BuiltPages extends Readonly<Record<Exclude<PageName, "checkout">, BuiltPage>> {
  /** By language. */
  checkout: ReadonlyMap<string, BuiltPage>;
}

/** In `pages.json`: the name of its file, or of its files by language. */
type ManifestEntry = Omit<BuiltPage, "html"> & { html: string | Record<string, string> };

/** @throws OperatorError where the build is missing, or older than this service */
export function readPages(directory: string): BuiltPages {
  const path = join(directory, "pages.json");
  const manifest = JSON.parse(readBuilt(path).toString()) as Partial<Record<PageName, ManifestEntry>>; // written by the build
  const find = (name: PageName, language?: string): BuiltPage => {
    const page = manifest[name];
    const html = typeof page?.html === "object" && language ? page.html[language] : page?.html;
    if (page === undefined || typeof html !== "string") {
      const what = language ? `"${name}" in "${language}"` : `"${name}"`;
      throw new OperatorError(
        `${path} names no page ${what}. Run \`npm run build\` first; \`npm start\` does it by itself.`,
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

/** With the headers that every page of that name has (`protocol/page-headers.ts`). */
export function sendPage(
  reply: FastifyReply,
  name: PageName,
  { html, ...code }: BuiltPage,
  request: PageRequest,
): FastifyReply {
  return sendCompressed(reply.headers(pageHeaders(name, code, request)), html);
}
