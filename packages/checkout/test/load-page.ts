/** Loads the checkout page's own HTML into the test's document, so that tests run on the real page. */
import { readFileSync } from "node:fs";
import { followTyping } from "../src/form/card-fields/follow-typing.ts";
import { finishPage } from "../src/page/finish-page.ts";
import { initialSettings } from "../src/page/initial-settings.ts";
import { findPage } from "../src/page/page.ts";
import type { FirstPage, Page } from "../src/page/page.ts";
import type { Send } from "../src/service/send-request.ts";
import en from "../src/texts/en.ts";
import { fetchTextsBy, textFileOf, type PageTexts } from "../src/texts/page-texts.ts";
import type { TextFile } from "../src/texts/texts.ts";
import { everyLanguage } from "./every-language.ts";

const html = readFileSync(`${import.meta.dirname}/../src/checkout.html`, "utf8");

/** The file with the English texts. */
export const english: TextFile = textFileOf(en);

/** Serves the text files as the service would. */
export const loadText: Send = async (path) => {
  const [, tag = "", choices] = /^\/texts\/([^.]+)(\.choices)?\.json$/.exec(path) ?? [];
  const language = everyLanguage[tag];
  if (!language) throw new Error(`Bug: no text file at ${path}`);
  return { ok: true, status: 200, body: choices ? language.choices : textFileOf(language) };
};

/** The data block that the build writes into the English page. */
function pageTexts(): HTMLScriptElement {
  const script = document.createElement("script");
  script.type = "application/json";
  script.id = "texts";
  const { unreachable, retry } = en.first;
  script.textContent = JSON.stringify({ unreachable, retry } satisfies PageTexts);
  return script;
}

/** Loads the code that only some payments need, as the later code does. */
export const loadOnDemand = () => import("../src/pay/on-demand.ts");

/** The page in English, as `checkout.ts` sees it. */
export function loadFirstPage(load: Send = loadText): FirstPage {
  const body = /<body>([^]*)<\/body>/.exec(html)?.[1];
  if (!body) throw new Error("Bug: checkout.html has no body");
  const texts: Record<string, unknown> = en.first;
  document.body.innerHTML = body.replaceAll(/\{\{(\w+)\}\}/g, (_match, name: string) => String(texts[name]));
  document.body.append(pageTexts());
  document.documentElement.lang = "en";
  const [main] = document.getElementsByTagName("main");
  if (!main) throw new Error("Bug: checkout.html has no main");
  return findPage(
    document,
    { initialSettings: initialSettings(window), typing: followTyping(main) },
    fetchTextsBy(load, "/texts/"),
  );
}

/** The page in English, after the later code has loaded. */
export function loadPage(load?: Send): Page {
  return finishPage(loadFirstPage(load), english);
}
