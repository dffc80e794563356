import { beforeEach, describe, expect, it } from "vitest";
import type { FrameSession } from "@oriel/protocol/frame";
import { createFakeService } from "../test/fake-service.ts";
import { loadPage } from "../test/load-page.ts";
import { bindCardFields } from "./card-fields.ts";
import { createFormSettings } from "./form-settings.ts";
import type { Page } from "./page.ts";
import { createScreen } from "./screen.ts";
import type { Screen } from "./screen.ts";
import { showTestPanel } from "./test-panel.ts";
import { early } from "./texts/early.ts";
import en from "./texts/en.ts";
import { languages } from "./texts/languages.ts";
import { watchForm } from "./watch-form.ts";
import type { FormWatch } from "./watch-form.ts";

const nowMs = Date.UTC(2027, 5, 15);
const opened = (await createFakeService()).session({ merchant_name: "Fernweh", description: null, save_payment_method: true });
const { session } = opened.kind === "answer" ? (opened.body as FrameSession) : { session: undefined }; // as the fake service makes it

let page: Page;
let screen: Screen;
let form: FormWatch;

beforeEach(() => {
  if (!session) throw new Error("Bug: the fake service has no session");
  page = loadPage();
  const fields = bindCardFields(page);
  screen = createScreen(page, fields, window);
  form = watchForm(
    page,
    () => nowMs,
    () => {},
  );
  const settings = createFormSettings(page, fields, () => nowMs);
  settings.update({ fields: { name: "required", email: "required", postalCode: "required" } });
  screen.introduce(session);
  showTestPanel(page, fields, nowMs, () => {});
  screen.form();
});

/** What a customer can read, also by ear and in fields that are empty. */
function readable(): string[] {
  const elements = [...page.main.querySelectorAll("*")];
  const texts = elements.flatMap((element) => [...element.childNodes]).filter((node) => node.nodeType === Node.TEXT_NODE);
  const placeholders = elements.map((element) => element.getAttribute("placeholder") ?? "");
  return [document.title, ...texts.map((node) => node.textContent ?? ""), ...placeholders]
    .map((text) => text.trim())
    .filter((text) => /[a-z]/i.test(text));
}

/** The same word in English and in that language. */
const sharedWords = ["TEST", "CVC", "MM / YY"];
const englishWords = /\b(the|your|you|card|pay|payment|enter|back|again|approved|declined|shop|this|here)\b/i;

describe.each(Object.keys(languages))("the page switched to %s", (language) => {
  const foreign = () =>
    readable().filter((text) => !sharedWords.includes(text) && englishWords.test(text.replaceAll("Fernweh", "")));

  it("has no English left on the form, its errors, its button and its notice", async () => {
    form.validate("host");
    screen.notice("rateLimited");
    expect(readable().filter((text) => englishWords.test(text)).length).toBeGreaterThan(15);
    await page.words.speak(language);
    expect(foreign()).toEqual([]);
    expect(page.number.labels?.[0]?.textContent).toBe(page.words.texts.cardNumber);
    expect(page.payLabel.textContent).toContain("49");
    expect(document.documentElement.lang).toBe(language);
    expect(document.documentElement.dir).toBe(language === "ar" ? "rtl" : "ltr");
  });

  it("has no English left on a result and on what can be done next", async () => {
    screen.result("unknown", { label: "lookUpAgain", press: () => {} });
    await page.words.speak(language);
    const { texts } = page.words;
    expect([...page.result.querySelectorAll("h1, p, button")].map((element) => element.textContent)).toEqual([
      ...texts.paying.results.unknown,
      texts.lookUpAgain,
    ]);
  });

  it("says in that language what comes after, and all in English again when asked", async () => {
    await page.words.speak(language);
    screen.busy("submitting");
    expect(page.payLabel.textContent).toBe(page.words.texts.steps.submitting);
    screen.declined("expired_card", "Call us.");
    expect(page.notice.textContent).toBe(`${page.words.texts.paying.declined.expired_card} Call us.`);
    await page.words.speak("en");
    expect(page.notice.textContent).toBe(`${en.paying.declined.expired_card} Call us.`);
    expect(page.number.labels?.[0]?.textContent).toBe(en.cardNumber);
  });
});

describe("switching the language", () => {
  it("loses no typed data, no focus, and nothing that was marked as wrong", async () => {
    page.number.value = "4242 4242 4242 4241";
    form.validate("host");
    page.expiry.value = "12 / 34";
    page.expiry.focus();
    await page.words.speak("de");
    expect([page.number.value, page.expiry.value]).toEqual(["4242 4242 4242 4241", "12 / 34"]);
    expect(document.activeElement).toBe(page.expiry);
    expect(page.number.getAttribute("aria-invalid")).toBe("true");
    expect(document.getElementById("number-error")?.textContent).toBe(page.words.texts.problems.numberWrong);
  });

  it("moves no focus to a result that is shown already", async () => {
    screen.result("expired");
    page.result.blur();
    await page.words.speak("es");
    expect(document.activeElement).toBe(document.body);
  });

  it("ends in the language that was asked for last", async () => {
    await Promise.all([page.words.speak("de"), page.words.speak("fr"), page.words.speak("en"), page.words.speak("es")]);
    expect(page.words.texts.language).toBe("es");
  });

  it("stays where it is if the language cannot be had", async () => {
    await page.words.speak("fr");
    await page.words.speak("xx");
    expect(page.words.texts.language).toBe("fr");
    expect(document.documentElement.lang).toBe("fr");
  });

  it("says early results in English where no language is here", () => {
    screen.result("unreachable", { label: "retry", press: () => {} });
    expect(page.result.textContent).toContain(early.early.unreachable[0]);
  });
});
