import { beforeEach, describe, expect, it, vi } from "vitest";
import { languages } from "@oriel/protocol/languages";
import { everyLanguage } from "../../test/every-language.ts";
import { sessionWith } from "../../test/fake-service.ts";
import { english, loadFirstPage, loadPage, loadText, loadOnDemand } from "../../test/load-page.ts";
import { introduceOn } from "../../test/whole-screen.ts";
import type { WholeScreen } from "../../test/whole-screen.ts";
import { bindCardFields } from "../form/card-fields.ts";
import { createFormSettings } from "../form/form-settings.ts";
import { watchForm } from "../form/watch-form.ts";
import type { FormWatch } from "../form/watch-form.ts";
import { finishPage } from "../page/finish-page.ts";
import type { Page } from "../page/page.ts";
import type { Send } from "../service/send-request.ts";
import en from "./en.ts";
import { fill } from "./fill.ts";
import { directionOf } from "./page-texts.ts";

const nowMs = Date.UTC(2027, 5, 15);
const session = sessionWith({ description: null, save_payment_method: true });

let page: Page;
let screen: WholeScreen;
let form: FormWatch;

beforeEach(async () => {
  page = loadPage();
  const fields = bindCardFields(page, loadOnDemand);
  screen = introduceOn(page, session);
  form = watchForm(
    page,
    fields.network,
    () => nowMs,
    () => {},
  );
  const settings = createFormSettings(page, () => [], loadOnDemand);
  settings.update({ fields: { name: "required", email: "required", postalCode: "required" } });
  await vi.waitUntil(() => !settings.isDisabled(), 5_000); // they load separately
  screen.introduce(session);
  screen.form();
});

/** What a customer can read, including text for screen readers and placeholders. */
function readable(): string[] {
  // The test panel is for developers, and in English.
  const elements = [...page.main.querySelectorAll("*")].filter((element) => !page.test.contains(element));
  const texts = elements
    .flatMap((element) => [...element.childNodes])
    .filter((node) => node.nodeType === Node.TEXT_NODE);
  const placeholders = elements.map((element) => element.getAttribute("placeholder") ?? "");
  return [document.title, ...texts.map((node) => node.textContent ?? ""), ...placeholders]
    .map((text) => text.trim())
    .filter((text) => /[a-z]{2}/i.test(text) && text !== "Fernweh");
}

/** Every sentence of a language. */
function sentences(value: unknown): string[] {
  return typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(sentences);
}

describe.each(languages.filter((tag) => tag !== "en"))("the page switched to %s", (language) => {
  const texts = everyLanguage[language];
  if (!texts) throw new Error(`Bug: ${language} is in the list but has no file`);
  /** Texts that are still English, except for words that are the same in both languages. */
  const leftOf = (before: string[]) => {
    const same = sentences(texts);
    return readable().filter((text) => before.includes(text) && !same.includes(text) && /\p{L}{2}/u.test(text));
  };

  it("has no English left in the form, its errors, its button and its notice", async () => {
    form.validate("host");
    screen.notice("rateLimited");
    const before = readable();
    expect(before.length).toBeGreaterThan(15);
    await page.words.speak(language);
    expect(leftOf(before)).toEqual([]);
    expect(page.number.labels?.[0]?.textContent).toBe(texts.first.cardNumber);
    expect(page.payLabel.textContent).toContain("49");
    expect(document.documentElement.lang).toBe(language);
    expect(document.documentElement.dir).toBe(directionOf(language));
  });

  it("has no English left in a result and its next action", async () => {
    screen.result("unknown", { label: "checkAgain", press: () => {} });
    await page.words.speak(language);
    expect([...page.result.querySelectorAll("h1, p, button")].map((element) => element.textContent)).toEqual(
      expect.arrayContaining([...texts.form.results.unknown.paying, texts.form.checkAgain]),
    );
  });

  it("shows later messages in that language, and switches back to English on request", async () => {
    const declined = ({ after, form }: typeof texts) =>
      fill(after.declined.expired_card, { outcome: form.outcomes.paying });
    await page.words.speak(language);
    screen.busy("submitting");
    expect(page.payLabel.textContent).toBe(texts.form.steps.submitting);
    screen.declined("expired_card", "Call us.");
    expect(page.notice.textContent).toContain(declined(texts));
    await page.words.speak("en");
    expect(page.notice.textContent).toContain(declined(en));
    expect(page.number.labels?.[0]?.textContent).toBe(en.first.cardNumber);
  });
});

describe("switching the language", () => {
  it("keeps what was typed, the focus and the errors", async () => {
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

  it("doesn't move the focus to a result that is already shown", async () => {
    screen.result("expired");
    page.result.blur();
    await page.words.speak("es");
    expect(document.activeElement).toBe(document.body);
  });

  it("ends in the language that was requested last", async () => {
    await Promise.all([page.words.speak("de"), page.words.speak("fr"), page.words.speak("en"), page.words.speak("es")]);
    expect(page.words.texts.language).toBe("es");
  });

  it("leaves an announcement alone if the language and the locale stay the same, or can't be loaded", async () => {
    const send = vi.fn<Send>(loadText);
    page = finishPage(loadFirstPage(send), english);
    await page.words.speak("de-AT");
    page.live.textContent = "Wird gesendet …";
    await page.words.speak("de-AT");
    send.mockResolvedValue(null);
    await page.words.speak("fr");
    expect(page.live.textContent).toBe("Wird gesendet …");
    await page.words.speak("de-DE");
    expect(page.live.textContent).toBe("");
  });

  it("doesn't happen if the language it has is requested while another one loads", async () => {
    document.documentElement.dataset["words"] = "coming";
    await Promise.all([page.words.speak("de"), page.words.speak("en")]);
    expect(page.words.texts.language).toBe("en");
    expect(document.documentElement.dataset["words"]).toBeUndefined();
  });

  it("formats amounts as in the region of the locale", async () => {
    await page.words.speak("de");
    expect(page.payLabel.textContent).toMatch(/^49,00\s€ bezahlen$/u);
    await page.words.speak("de-AT");
    expect(page.payLabel.textContent).toMatch(/^€\s49,00 bezahlen$/u);
  });

  it("formats amounts in Latin digits", async () => {
    await page.words.speak("ar-EG");
    expect(page.payLabel.textContent).toContain("49.00");
  });
});

describe("a page whose iframe name contains a language", () => {
  const root = document.documentElement;
  /** The state that `prepare-page.ts` leaves. */
  const begin = (locale: string, send: Send = loadText) => {
    root.dataset["words"] = "coming";
    return finishPage({ ...loadFirstPage(send), settings: { locale } }, english);
  };

  it("shows its texts once they are in that language", async () => {
    const { words, number } = begin("fr-CA");
    expect(root.dataset["words"]).toBe("coming");
    await vi.waitFor(() => expect(root.dataset["words"]).toBeUndefined());
    expect(words.texts).toMatchObject({ language: "fr", locale: "fr-CA-u-nu-latn" });
    expect(number.labels?.[0]?.textContent).toBe(everyLanguage["fr"]?.first.cardNumber);
  });

  it("shows its own texts and direction if the others can't be loaded", async () => {
    root.dir = "rtl";
    const { words } = begin("ar", async () => null);
    await vi.waitFor(() => expect(root.dataset["words"]).toBeUndefined());
    expect([words.texts.language, root.lang, root.dir]).toEqual(["en", "en", "ltr"]);
  });
});

describe("texts that can't be loaded", () => {
  it("leave the page in its current language", async () => {
    const send = vi.fn<Send>(loadText);
    const { words } = finishPage(loadFirstPage(send), english);
    await words.speak("fr");
    send.mockResolvedValue(null);
    await words.speak("de");
    expect([words.texts.language, document.documentElement.lang]).toEqual(["fr", "fr"]);
  });
});
