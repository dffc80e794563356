/**
 * What the operator decides about risk: `ORIEL_RISK`.
 *
 * ```
 * (unset)   the defaults of rules.ts in live mode; nothing in test mode, where everybody tries the same few cards all day
 * on        the defaults in both modes
 * off       no rule, no limit, nothing remembered
 * otherwise in both modes the defaults, but for what it names, as in
 *           card_velocity=5/h:challenge,10/h:decline; account_decline_ratio=20% of 50/h:challenge; ip_tries=off
 * ```
 * A step is `[how much of] tries/window:what`, and is exceeded by more than it says. Windows are `m`, `h` and `d`, or
 * some of them: `10m`. What cannot be read stops the start: a rule that is not there because of a typing error would be
 * missed too late.
 */
import { OperatorError } from "../../platform/operator-error.ts";
import { maxSample } from "./measures.ts";
import { limits, rules, type LimitName, type RiskReason, type Rule } from "./rules.ts";

export interface Step {
  /** Exceeded by more than this, in the rule's unit. */
  over: number;
  /** Fewer tries than this say nothing. 0 where tries are what is counted. */
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
      /** Whether they hold in test mode too. */
      inTestMode: boolean;
      /** Those that decline stand first. */
      rules: Readonly<Record<RiskReason, readonly Step[]>>;
      limits: Readonly<Record<LimitName, TryLimit | null>>;
    };

const maxWindowDays = 30;
const dayMs = 24 * 60 * 60 * 1000;
/** Tries are forgotten when no rule can count them any more. */
export const rememberedMs = maxWindowDays * dayMs;

/** The settings that hold for a mode; null for none. */
export function settingsFor(risk: RiskSettings, { livemode }: { livemode: boolean }) {
  return risk === "off" || (!livemode && !risk.inTestMode) ? null : risk;
}

/** @throws OperatorError that names the part which cannot be read */
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
  };
}

function readAssignments(text: string): Map<string, string> {
  const known = [...Object.keys(rules), ...Object.keys(limits)];
  const assignments = new Map<string, string>();
  for (const part of text.split(";").map((part) => part.trim())) {
    if (part === "") continue;
    const [, name = "", value = ""] = /^([a-z_]+)\s*=\s*(.+)$/.exec(part) ?? [];
    if (name === "") throw unreadable(part, 'say "name=steps", or "off" alone to switch all of it off');
    if (!known.includes(name)) throw unreadable(part, `the names are ${known.join(", ")}`);
    if (assignments.has(name)) throw unreadable(part, `${name} is there twice`);
    assignments.set(name, value);
  }
  return assignments;
}

const stepForms = {
  tries: {
    form: /^(?<over>\d{1,5})\/(?<window>\d{0,3}[mhd])\s*:\s*(?<verdict>challenge|decline)$/,
    example: "5/h:challenge",
  },
  percent: {
    form: /^(?<over>\d{1,2})% of (?<atLeast>\d{1,4})\/(?<window>\d{0,3}[mhd])\s*:\s*(?<verdict>challenge|decline)$/,
    example: "20% of 50/h:challenge",
  },
  times: {
    form: /^(?<over>\d{1,3})x of (?<atLeast>\d{1,4})\/(?<window>\d{0,3}[mhd])\s*:\s*(?<verdict>challenge|decline)$/,
    example: "3x of 20/30d:challenge",
  },
} as const satisfies Record<Rule["unit"], { form: RegExp; example: string }>;

function readSteps(name: RiskReason, text: string): Step[] {
  if (text === "off") return [];
  const { form, example } = stepForms[rules[name].unit];
  const steps = text.split(",").map((part): Step => {
    const { over, atLeast = "0", window = "", verdict } = form.exec(part.trim())?.groups ?? {};
    const whole = `${name}=${part.trim()}`;
    if (over === undefined) throw unreadable(whole, `a step of ${name} looks like ${example}`);
    if (Number(atLeast) > maxSample) throw unreadable(whole, `no more than ${maxSample} tries are looked at`);
    return {
      over: Number(over),
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
  if (tries === undefined) throw unreadable(`${name}=${text}`, `${name} looks like ${limits[name].defaults}`);
  return { tries: Number(tries), windowMs: readWindow(`${name}=${text}`, window) };
}

/** `h` is one hour, `10m` ten minutes. */
function readWindow(part: string, text: string): number {
  const unitMs = { m: 60_000, h: 3_600_000, d: dayMs }[text.at(-1) ?? ""] ?? 0;
  const windowMs = unitMs * (text.length === 1 ? 1 : Number(text.slice(0, -1)));
  if (windowMs < 60_000 || windowMs > rememberedMs)
    throw unreadable(part, `a window is one minute to ${maxWindowDays} days`);
  return windowMs;
}

function unreadable(part: string, hint: string): OperatorError {
  return new OperatorError(
    `ORIEL_RISK: ${JSON.stringify(part.slice(0, 100))} cannot be read; ${hint}. See docs/risk.md.`,
  );
}
