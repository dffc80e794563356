/**
 * Replaces the types inferred from TypeBox schemas in a declaration file by plain ones, so that a package's users don't
 * need TypeBox. `export type Refund = Static<typeof Refund>` becomes an interface whose properties have the schema's
 * descriptions as comments. The schemas themselves aren't declared.
 */
import { type JSONSchema, compile } from "json-schema-to-typescript";

/** A declaration goes on while lines are indented or close a bracket. */
const schema = /^(?:export )?declare const \w+: T(?:ype\.|Optional<).*\n(?:[ }].*\n)*/gm;
const inferred = /\bStatic<typeof (\w+)>/g;

/**
 * @param declarations the text of a `.d.ts` file
 * @param source the TypeScript module that it was compiled from, which exports the schemas or uses them in ones it does
 */
export async function expandSchemas(declarations: string, source: string): Promise<string> {
  if (!/ from "typebox"/.test(declarations)) return declarations;
  const module = (await import(source)) as Record<string, unknown>;
  let text = declarations.replace(/^import .* from "typebox";\n/gm, "").replace(schema, "");
  for (const name of new Set([...text.matchAll(inferred)].map((match) => match[1] ?? ""))) {
    const plain = await plainType(name, module);
    text = text
      .replace(`export type ${name} = Static<typeof ${name}>;`, () => `export interface ${name} ${plain}`)
      .replaceAll(`Static<typeof ${name}>`, () => plain);
  }
  return text;
}

/** For example `{\n  id: string;\n}`. @throws Error if the module doesn't export an object's schema of this name */
async function plainType(name: string, module: Record<string, unknown>): Promise<string> {
  const found = module[name];
  if (typeof found !== "object" || found === null) throw new Error(`The schema ${name} must be exported.`);
  const text = await compile(withoutTitles(found), "Plain", {
    bannerComment: "",
    ignoreMinAndMaxItems: true,
    additionalProperties: false,
  });
  const body = /export interface Plain (\{[\s\S]*\})\s*$/.exec(text)?.[1];
  if (body === undefined || /^export /m.test(body)) throw new Error(`The schema ${name} has no plain type:\n${text}`);
  return body;
}

/** A copy as plain JSON Schema, because the compiler would declare a type for each title and ID. */
function withoutTitles(found: object): JSONSchema {
  const isTitle = (key: string, value: unknown) => (key === "title" || key === "$id") && typeof value === "string";
  return JSON.parse(
    JSON.stringify(found, (key, value: unknown) => (isTitle(key, value) ? undefined : value)),
  ) as JSONSchema; // TypeBox's schemas are JSON Schemas
}
