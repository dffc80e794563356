/**
 * Records the statements that the service runs for a scenario. The service runs in this process, without its workers,
 * and every statement it passes to `pg` is recorded. Each scenario is recorded twice. Values that differ are generated
 * each time: IDs, keys and timestamps.
 */
import { randomUUID } from "node:crypto";
import pino from "pino";
import { createApp } from "../../packages/server/src/app.ts";
import { newId, tenantOfId } from "../../packages/server/src/platform/ids.ts";
import { readServiceConfig } from "../../packages/server/src/service-config.ts";
import { openService } from "../../packages/server/src/service.ts";
import { recordStatements, type RecordedStatement } from "../../packages/server/test/setup/recorded-statements.ts";
import { createClient } from "./client.ts";
import type { Scenario, Send } from "./scenarios.ts";

export interface Recording {
  statements: readonly RecordedStatement[];
  /** Time of the recording, in milliseconds since 1970. Timestamps in the values are relative to it. */
  at: number;
  /** Generated values, as they appear in the parameters. */
  made: readonly string[];
  /** The scenario's subject, as it appears in the parameters. */
  subject: string;
}

/** @param env - Environment of the service. */
export async function recordScenarios<K extends string>(
  env: NodeJS.ProcessEnv,
  secretKey: string,
  scenarios: Readonly<Record<K, Scenario>>,
): Promise<Record<K, Recording>> {
  const service = await openService(readServiceConfig(env, "api"), pino({ level: "silent" }));
  const app = await createApp(service.context, { resultsKeys: { test: "unused", live: null }, files: null });
  const apiUrl = await app.listen({ host: "127.0.0.1", port: 0 });
  const { send, close } = createClient(apiUrl, secretKey);
  try {
    const recordings: [string, Recording][] = [];
    for (const [name, scenario] of Object.entries<Scenario>(scenarios))
      recordings.push([name, await record(scenario, send)]);
    return Object.fromEntries(recordings) as Record<K, Recording>; // the keys are the scenarios' names
  } finally {
    close();
    await app.close();
    await service.close();
  }
}

async function record(scenario: Scenario, send: Send): Promise<Recording> {
  const subject = (await scenario.prepare?.(send)) ?? "";
  await scenario.run(send, subject); // run it once, so that work done once per process or minute is already done
  const at = Date.now();
  const statements = await recordStatements(() => scenario.run(send, subject));
  const others = await recordStatements(() => scenario.run(send, subject));
  const [texts, otherTexts] = [statements, others].map((all) => all.map(({ text }) => text).join("\n"));
  if (texts !== otherTexts)
    throw new Error(`${scenario.name} runs different statements each time:\n${texts}\n--\n${otherTexts}`);
  const [tokens, otherTokens] = [statements, others].map((all) =>
    all.flatMap(({ values }) => values.flatMap(tokensIn)),
  );
  const made = new Set(tokens?.filter((token, n) => token !== otherTokens?.[n]));
  return { statements, at, made: [...made], subject };
}

/** Everything that looks like an ID or a key in a value, in order. */
function tokensIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(tokensIn);
  return typeof value === "string" ? (value.match(token) ?? []) : [];
}

const token = /[0-9a-z]{2,5}_[0-9a-z]{33}|[0-9a-f]{8}-[0-9a-f-]{27}/g;

/** One round of a recording with new IDs, keys and timestamps. */
export function valuesFor({ statements, at, made, subject }: Recording, ownSubject: string): unknown[][] {
  const moved = Date.now() - at;
  const replacements = new Map(made.map((old) => [old, another(old)]));
  replacements.set(subject, ownSubject);
  const replaced = (text: string) => text.replace(token, (old) => replacements.get(old) ?? old);
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value === "string") return replaced(value);
    return value instanceof Date ? new Date(value.getTime() + moved) : value;
  };
  return statements.map(({ values }) => values.map(replace));
}

/** For IDs without an owner, such as a request's: zeros in their place. */
const nobody = { accountNo: 0, livemode: false };

function another(old: string): string {
  const [prefix, random] = old.split("_");
  // The token's prefix is an ID prefix.
  return random === undefined ? randomUUID() : newId(prefix as "ch", new Date(), tenantOfId(old) ?? nobody);
}
