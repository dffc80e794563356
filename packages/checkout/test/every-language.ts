/** Every language's texts by tag, read from the files, including any that isn't in the protocol's list yet. */
import { readdirSync } from "node:fs";
import type { Language } from "../src/texts/texts.ts";

const files = readdirSync(`${import.meta.dirname}/../src/texts`);
const tags = files.flatMap((name) => /^([a-z]{2,3}(-[A-Z][A-Za-z]+)?)\.ts$/.exec(name)?.[1] ?? []);

export const everyLanguage: Readonly<Record<string, Language>> = Object.fromEntries(
  await Promise.all(
    tags.map(async (tag) => {
      // The compiler checks this type in each file.
      const { default: texts } = (await import(`../src/texts/${tag}.ts`)) as { default: Language };
      return [tag, texts] as const;
    }),
  ),
);
