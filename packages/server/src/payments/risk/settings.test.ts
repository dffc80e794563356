import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OperatorError } from "@oriel/commands/operator-error";
import { limits, rules } from "./rules.ts";
import { readRiskSettings, settingsFor } from "./settings.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const read = (ORIEL_RISK?: string) => {
  const settings = readRiskSettings(ORIEL_RISK === undefined ? {} : { ORIEL_RISK });
  if (settings === "off") throw new Error("ORIEL_RISK is off");
  return settings;
};

describe("ORIEL_RISK", () => {
  it.each([undefined, "", "  ", " ; ", "on"])("uses the default of every rule and limit if set to %j", (text) => {
    const { rules, limits } = read(text);
    expect(rules.card_velocity).toEqual([
      { threshold: 10, atLeast: 0, windowMs: hour, verdict: "decline" },
      { threshold: 30, atLeast: 0, windowMs: day, verdict: "decline" },
      { threshold: 5, atLeast: 0, windowMs: hour, verdict: "challenge" },
    ]);
    expect(rules.account_decline_ratio).toEqual([
      { threshold: 50, atLeast: 100, windowMs: hour, verdict: "decline" },
      { threshold: 20, atLeast: 50, windowMs: hour, verdict: "challenge" },
    ]);
    expect(rules.amount_unusual).toEqual([{ threshold: 3, atLeast: 20, windowMs: 30 * day, verdict: "challenge" }]);
    expect(limits).toEqual({
      session_tries: { tries: 10, windowMs: hour },
      ip_tries: { tries: 60, windowMs: hour },
      account_tries: { tries: 10_000, windowMs: hour },
    });
  });

  it.each([
    [undefined, false],
    ["", false],
    ["on", true],
    ["ip_tries=off", true],
  ])("applies in live mode if set to %j (in test mode: %j)", (text, inTestMode) => {
    const settings = readRiskSettings(text === undefined ? {} : { ORIEL_RISK: text });
    expect(settingsFor(settings, { livemode: true })).not.toBeNull();
    expect(settingsFor(settings, { livemode: false }) !== null).toBe(inTestMode);
    expect(settingsFor("off", { livemode: true })).toBeNull();
  });

  it("turns everything off if set to `off`", () => {
    expect(readRiskSettings({ ORIEL_RISK: "off" })).toBe("off");
    expect(readRiskSettings({ ORIEL_RISK: " off " })).toBe("off");
  });

  it("changes the rules and limits it names and keeps the other defaults", () => {
    const { rules, limits } = read(
      "ip_velocity=off; card_velocity = 0/10m : challenge , 3/2d:decline; account_decline_ratio=30% of 10/30m:decline; ip_tries=5/m; session_tries=off;",
    );
    expect(rules.ip_velocity).toEqual([]);
    expect(rules.card_velocity).toEqual([
      { threshold: 3, atLeast: 0, windowMs: 2 * day, verdict: "decline" },
      { threshold: 0, atLeast: 0, windowMs: 10 * minute, verdict: "challenge" },
    ]);
    expect(rules.account_decline_ratio).toEqual([
      { threshold: 30, atLeast: 10, windowMs: 30 * minute, verdict: "decline" },
    ]);
    expect(limits.ip_tries).toEqual({ tries: 5, windowMs: minute });
    expect(limits.session_tries).toBeNull();
    expect({ ...rules, ip_velocity: 0, card_velocity: 0, account_decline_ratio: 0 }).toEqual({
      ...read().rules,
      ip_velocity: 0,
      card_velocity: 0,
      account_decline_ratio: 0,
    });
  });

  it.each([
    ["40", "tokens", 40],
    ["1", "tokens", 1],
    ["10000", "tokens", 10_000],
    ["challenge", "always_challenge", 40],
    ["off", "never_challenge", 40],
  ])("reads new_customers=%s", (text, policy, bucketSize) => {
    expect(read(`new_customers=${text}`).newCustomers).toEqual({ policy, bucketSize });
  });

  it.each([
    ["new_customers=0", "number up to 10000"],
    ["new_customers=10001", "number up to 10000"],
    ["new_customers=-1", "number up to 10000"],
    ["new_customers=1.5", "number up to 10000"],
    ["new_customers=never", "number up to 10000"],
    ["off; ip_tries=5/h", "name=steps"],
    ["ip_velocity", "name=steps"],
    ["ip_velocity=", "name=steps"],
    ["card_speed=5/h:decline", "card_velocity"],
    ["constructor=5/h:decline", "known names are"],
    ["ip_tries=5/h; ip_tries=6/h", "twice"],
    ["card_velocity=5/h", "5/h:challenge"],
    ["card_velocity=5/h:block", "5/h:challenge"],
    ["card_velocity=-5/h:decline", "5/h:challenge"],
    ["card_velocity=5.5/h:decline", "5/h:challenge"],
    ["card_velocity=5/h:decline,", "5/h:challenge"],
    ["card_velocity=off,5/h:decline", "5/h:challenge"],
    ["card_velocity=999999/h:decline", "5/h:challenge"],
    ["card_velocity=20% of 50/h:decline", "5/h:challenge"],
    ["account_decline_ratio=20/h:decline", "20% of 50/h"],
    ["account_decline_ratio=100% of 50/h:decline", "20% of 50/h"],
    ["account_decline_ratio=20% of 2000/h:decline", "1000 card attempts"],
    ["amount_unusual=3% of 20/d:challenge", "3x of 20/30d"],
    ["card_velocity=5/0h:decline", "one minute and 30 days"],
    ["card_velocity=5/31d:decline", "one minute and 30 days"],
    ["card_velocity=5/999d:decline", "one minute and 30 days"],
    ["ip_tries=0/h", "60/h"],
    ["ip_tries=5/h:decline", "60/h"],
    ["ip_tries=5", "60/h"],
  ])("prevents startup if set to %j, with an error that shows the expected format", (text, hint) => {
    expect(() => read(text)).toThrow(OperatorError);
    expect(() => read(text)).toThrow("ORIEL_RISK");
    expect(() => read(text)).toThrow(hint);
    expect(() => read(text)).toThrow("docs/risk.md");
  });
});

describe("docs/risk.md", () => {
  const lines = readFileSync(new URL("../../../../../docs/risk.md", import.meta.url), "utf8").split("\n");

  it.each(Object.entries({ ...rules, ...limits }))("lists %s with its defaults", (name, { defaults }) => {
    const row = lines.find((line) => line.startsWith(`| \`${name}\``));
    expect(row).toContain(`\`${defaults}\``);
  });

  it("lists no rules that don't exist", () => {
    const named = lines.flatMap((line) => /^\| `([a-z_]+)`/.exec(line)?.[1] ?? []);
    expect(named.sort()).toEqual(Object.keys({ ...rules, ...limits }).sort());
  });
});
