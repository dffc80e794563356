/**
 * The operator's risk settings: `ORIEL_RISK`.
 *
 * ```
 * (unset)   the defaults of rules.ts in live mode; nothing in test mode, where everyone uses the same few cards
 * on        the defaults in both modes
 * off       no rules, no limits, no data collected
 * otherwise the defaults in both modes, except for the rules and limits it names, as in
 *           card_velocity=5/h:challenge,10/h:decline; account_decline_ratio=20% of 50/h:challenge; ip_tries=off;
 *           new_customers=40
 * ```
 * A step is `[value of] tries/window:verdict`, and is exceeded by any higher value. Windows are in `m`, `h` or `d`,
 * with an optional number: `10m`. Invalid settings prevent startup. Otherwise, a typo could disable a rule unnoticed.
 */
import { OperatorError } from "@oriel/commands/operator-error";
import { maxBucketSize, type NewCustomersPolicy } from "@oriel/protocol/new-customers";
import { maxSample } from "./measures.ts";
import { limits, rules, type LimitName, type RiskReason, type Rule } from "./rules.ts";

export interface Step {
  /** Values above this exceed the step. In the rule's unit. */
  threshold: number;
  /** The minimum number of card tries for a meaningful ratio; 0 if the rule counts card tries. */
  atLeast: number;
  windowMs: number;
  verdict: "challenge" | "decline";
}

export interface TryLimit {
  tries: number;
  windowMs: number;
}

export type RiskSettings =
  | "off"
  | {
      /** Whether they apply in test mode too. */
      inTestMode: boolean;
      /** Steps that decline come first. */
      rules: Readonly<Record<RiskReason, readonly Step[]>>;
      limits: Readonly<Record<LimitName, TryLimit | null>>;
      newCustomers: NewCustomers;
    };

/** How new customers are admitted at accounts that haven't chosen a policy (`admission.ts`). */
export interface NewCustomers {
  policy: NewCustomersPolicy;
  /** The number of tokens in a full bucket. */
  bucketSize: number;
}

/** With 5% working numbers, an attacker learns two of them before new customers must pass a challenge. */
const defaultBucketSize = 40;

const maxWindowDays = 30;
const dayMs = 24 * 60 * 60 * 1000;
/** How long card tries are kept. No rule counts older ones. */
export const tryRetentionMs = maxWindowDays * dayMs;

/** The settings that apply in a mode; null for none. */
export function settingsFor(risk: RiskSettings, { livemode }: { livemode: boolean }) {
  return risk === "off" || (!livemode && !risk.inTestMode) ? null : risk;
}

/** @throws OperatorError that names the invalid part */
export function readRiskSettings(env: NodeJS.ProcessEnv): RiskSettings {
  const text = (env["ORIEL_RISK"] ?? "").trim();
  if (text === "off") return "off";
  const changed = readAssignments(text === "on" ? "" : text);
  const ruleOf = (name: RiskReason) => readSteps(name, changed.get(name) ?? rules[name].defaults);
  const limitOf = (name: LimitName) => readLimit(name, changed.get(name) ?? limits[name].defaults);
  return {
    inTestMode: text !== "",
    rules: {
      card_velocity: ruleOf("card_velocity"),
      card_declines: ruleOf("card_declines"),
      session_velocity: ruleOf("session_velocity"),
      ip_velocity: ruleOf("ip_velocity"),
      account_velocity: ruleOf("account_velocity"),
      account_decline_ratio: ruleOf("account_decline_ratio"),
      amount_unusual: ruleOf("amount_unusual"),
    },
    limits: {
      session_tries: limitOf("session_tries"),
      ip_tries: limitOf("ip_tries"),
      account_tries: limitOf("account_tries"),
    },
    newCustomers: readNewCustomers(changed.get("new_customers") ?? String(defaultBucketSize)),
  };
}

function readAssignments(text: string): Map<string, string> {
  const known = [...Object.keys(rules), ...Object.keys(limits), "new_customers"];
  const assignments = new Map<string, string>();
  for (const part of text.split(";").map((part) => part.trim())) {
    if (part === "") continue;
    const [, name = "", value = ""] = /^([a-z_]+)\s*=\s*(\S.*)$/.exec(part) ?? [];
    if (name === "") throw unreadable(part, 'use "name=steps", or "off" by itself to turn off all rules and limits');
    if (!known.includes(name)) throw unreadable(part, `the known names are ${known.join(", ")}`);
    if (assignments.has(name)) throw unreadable(part, `${name} appears twice`);
    assignments.set(name, value);
  }
  return assignments;
}

const stepForms = {
  tries: {
    form: /^(?<threshold>\d{1,5})\/(?<window>\d{0,3}[mhd])\s*:\s*(?<verdict>challenge|decline)$/,
    example: "5/h:challenge",
  },
  percent: {
    form: /^(?<threshold>\d{1,2})% of (?<atLeast>\d{1,4})\/(?<window>\d{0,3}[mhd])\s*:\s*(?<verdict>challenge|decline)$/,
    example: "20% of 50/h:challenge",
  },
  times: {
    form: /^(?<threshold>\d{1,3})x of (?<atLeast>\d{1,4})\/(?<window>\d{0,3}[mhd])\s*:\s*(?<verdict>challenge|decline)$/,
    example: "3x of 20/30d:challenge",
  },
} as const satisfies Record<Rule["unit"], { form: RegExp; example: string }>;

function readSteps(name: RiskReason, text: string): Step[] {
  if (text === "off") return [];
  const { form, example } = stepForms[rules[name].unit];
  const steps = text.split(",").map((part): Step => {
    const { threshold, atLeast = "0", window = "", verdict } = form.exec(part.trim())?.groups ?? {};
    const whole = `${name}=${part.trim()}`;
    if (threshold === undefined) throw unreadable(whole, `each step of ${name} must look like ${example}`);
    if (Number(atLeast) > maxSample) throw unreadable(whole, `a rule can consider at most ${maxSample} card attempts`);
    return {
      threshold: Number(threshold),
      atLeast: Number(atLeast),
      windowMs: readWindow(whole, window),
      verdict: verdict === "decline" ? "decline" : "challenge",
    };
  });
  return [
    ...steps.filter(({ verdict }) => verdict === "decline"),
    ...steps.filter(({ verdict }) => verdict === "challenge"),
  ];
}

function readLimit(name: LimitName, text: string): TryLimit | null {
  if (text === "off") return null;
  const { tries, window = "" } = /^(?<tries>[1-9]\d{0,4})\/(?<window>\d{0,3}[mhd])$/.exec(text)?.groups ?? {};
  if (tries === undefined)
    throw unreadable(`${name}=${text}`, `the value of ${name} must look like ${limits[name].defaults}`);
  return { tries: Number(tries), windowMs: readWindow(`${name}=${text}`, window) };
}

function readNewCustomers(text: string): NewCustomers {
  if (text === "challenge") return { policy: "always_challenge", bucketSize: defaultBucketSize };
  if (text === "off") return { policy: "never_challenge", bucketSize: defaultBucketSize };
  const bucketSize = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(bucketSize <= maxBucketSize))
    throw unreadable(
      `new_customers=${text}`,
      `the value of new_customers must be "challenge", "off" or a number up to ${maxBucketSize}`,
    );
  return { policy: "tokens", bucketSize };
}

/** `h` is one hour, `10m` is ten minutes. */
function readWindow(part: string, text: string): number {
  const unitMs = { m: 60_000, h: 3_600_000, d: dayMs }[text.at(-1) ?? ""] ?? 0;
  const windowMs = unitMs * (text.length === 1 ? 1 : Number(text.slice(0, -1)));
  if (windowMs < 60_000 || windowMs > tryRetentionMs)
    throw unreadable(part, `a window must be between one minute and ${maxWindowDays} days`);
  return windowMs;
}

function unreadable(part: string, hint: string): OperatorError {
  return new OperatorError(`ORIEL_RISK: ${JSON.stringify(part.slice(0, 100))} is invalid: ${hint}. See docs/risk.md.`);
}
