import { describe, expect, it } from "vitest";
import type { Mode } from "../mode.ts";
import { AcquirerAccountError } from "./operator-input.ts";
import { connectorKinds } from "./registry.ts";

const { adyen } = connectorKinds;
const settings = { merchant_account: "KilnAndClayECOM", api_url: "https://checkout-test.adyen.com/v72" };
const live = "https://1797a841fbb37ca7-KilnAndClay-checkout-live.adyenpayments.com/checkout/v72";
const moreHosts = ["proxy.example", "proxy.example:8443", "checkout-test.adyen.com"];
const credentials = { api_key: "AQEyhmfxK...LRMQq4fz", hmac_keys: ["44782DEF547AAA06".repeat(4)] };

/** Returns the error's parameter and message. */
function refusalOf(read: () => unknown): { param: string | null; message: string } {
  try {
    read();
  } catch (error) {
    if (error instanceof AcquirerAccountError) return error;
    throw error;
  }
  throw new Error("Expected a refusal");
}

describe("Adyen's settings", () => {
  it("have a default for multiple partial captures", () => {
    expect(adyen.readSettings(settings, "test", [])).toEqual({ ...settings, multiple_partial_captures: false });
    const enabled = { ...settings, multiple_partial_captures: true };
    expect(adyen.readSettings(enabled, "test", [])).toEqual(enabled);
  });

  it("identify the merchant account, whatever the rest", () => {
    const other = { ...settings, api_url: "https://checkout-test.adyen.com/v71", multiple_partial_captures: true };
    expect(adyen.identityOf(adyen.readSettings(settings, "test", []))).toBe("KilnAndClayECOM");
    expect(adyen.identityOf(adyen.readSettings(other, "test", []))).toBe("KilnAndClayECOM");
  });

  it("say to which host the API key is sent", () => {
    expect(adyen.destinationOf(adyen.readSettings(settings, "test", []))).toBe("https://checkout-test.adyen.com");
    const other = { ...settings, api_url: "http://localhost:4100/adyen/v71" };
    expect(adyen.destinationOf(adyen.readSettings(other, "test", []))).toBe("http://localhost:4100");
  });

  it.each<[Mode, string]>([
    ["test", "https://checkout-test.adyen.com/v72"],
    ["test", "https://checkout-test.adyen.com/checkout/v71"],
    ["test", "http://localhost:4100/adyen/v71"],
    ["test", "http://127.0.0.1:4100/adyen/v71"],
    ["test", "http://bank.localhost:4100/adyen/v71"],
    ["live", live],
    ["live", "https://prefix-Company-checkout-live-us.adyenpayments.com/checkout/v71"],
    ["live", "https://proxy.example/v72"],
    ["live", "https://proxy.example:443/v72"],
    ["live", "https://proxy.example:8443/v72"],
    ["test", "https://PROXY.example/v72"],
  ])("in %s mode, allow the URL %s", (mode, api_url) => {
    expect(adyen.readSettings({ ...settings, api_url }, mode, moreHosts)).toMatchObject({ api_url });
  });

  it.each<[Mode, unknown, string]>([
    ["test", undefined, "is missing"],
    ["test", 7, "must be a URL"],
    ["test", "", "must be a URL"],
    ["test", "checkout-test.adyen.com/v72", "must be a URL"],
    ["test", "https://checkout-test.adyen.com/v72/", "must be a URL"],
    ["test", "https://checkout-test.adyen.com/v72?x=1", "must be a URL"],
    ["test", "https://ann:secret@checkout-test.adyen.com/v72", "must be a URL"],
    ["test", "https://[/v72", "must be a URL"],
    ["test", "ftp://checkout-test.adyen.com/v72", "must be a URL"],
    ["test", "https://checkout-test.adyen.com", "must end with the version"],
    ["test", "https://checkout-test.adyen.com/v72/payments", "must end with the version"],
    ["test", "http://checkout-test.adyen.com/v72", "must use https"],
    ["test", "http://127.0.0.1.example/v72", "must use https"],
    ["live", "http://localhost:4100/adyen/v71", "must use https"],
    ["live", "https://localhost:4100/adyen/v71", "isn't a host"],
    ["live", "https://bank.localhost/v71", "isn't a host"],
    ["live", "https://127.0.0.1/v72", "isn't a host"],
    ["live", "https://10.0.0.7/v72", "isn't a host"],
    ["live", "https://169.254.169.254/v72", "isn't a host"],
    ["live", "https://[::1]/v72", "isn't a host"],
    ["live", "https://0x7f000001/v72", "isn't a host"],
    ["live", "https://collector.example/v72", "isn't a host"],
    ["live", "https://proxy.example:444/v72", "isn't a host"],
    ["live", "https://proxy.example./v72", "isn't a host"],
    ["live", "https://a.proxy.example/v72", "isn't a host"],
    ["live", "https://proxy.example.evil.example/v72", "isn't a host"],
    ["live", "https://checkout-test.adyen.com./v72", "isn't a host"],
    ["live", "https://x-checkout-live.adyenpayments.com./checkout/v72", "isn't a host"],
    ["live", "https://x-checkout-live.adyenpayments.com.evil.example/v72", "isn't a host"],
    ["live", "https://x-checkout-live.adyenpayments.com:8443/checkout/v72", "isn't a host"],
    ["live", "https://x-checkout-live.adyenpayments.example/checkout/v72", "isn't a host"],
    ["live", "https://evil.example\\x-checkout-live.adyenpayments.com/checkout/v72", "isn't a host"],
    ["live", "https://adyenpayments.com/checkout/v72", "isn't a host"],
    ["test", "https://collector.example/v72", "isn't a host"],
    ["test", "https://checkout-test.adyen.com.evil.example/v72", "isn't a host"],
    ["test", "https://10.0.0.7/v72", "isn't a host"],
    ["test", "https://localhost.evil.example/v72", "isn't a host"],
    ["test", live.replace(".com/", ".com./"), "isn't a host"],
    ["live", "https://checkout-test.adyen.com/v72", "is Adyen's test environment"],
    ["test", live, "is Adyen's live environment"],
  ])("in %s mode, refuse the URL %j", (mode, api_url, rule) => {
    const refusal = refusalOf(() => adyen.readSettings({ ...settings, api_url }, mode, moreHosts));
    expect(refusal).toMatchObject({ param: "settings.api_url", message: expect.stringContaining(rule) });
    expect(refusal.message).not.toContain("secret");
  });

  it.each<[unknown, string]>([
    [null, "settings"],
    [[], "settings"],
    ["settings", "settings"],
    [{ ...settings, merchantAccount: "x" }, "settings"],
    [{ ...settings, api_key: "x" }, "settings"],
    [{ ...settings, merchant_account: undefined }, "settings.merchant_account"],
    [{ ...settings, merchant_account: "Kiln & Clay" }, "settings.merchant_account"],
    [{ ...settings, merchant_account: "a:b" }, "settings.merchant_account"],
    [{ ...settings, merchant_account: "x".repeat(81) }, "settings.merchant_account"],
    [{ ...settings, multiple_partial_captures: "false" }, "settings.multiple_partial_captures"],
    [{ ...settings, multiple_partial_captures: null }, "settings.multiple_partial_captures"],
  ])("refuse %j", (value, param) => {
    expect(refusalOf(() => adyen.readSettings(value, "test", [])).param).toBe(param);
  });
});

describe("Adyen's credentials", () => {
  it("have one or two HMAC keys", () => {
    expect(adyen.readCredentials(credentials)).toEqual(credentials);
    const two = { ...credentials, hmac_keys: ["ab".repeat(32), "CD".repeat(32)] };
    expect(adyen.readCredentials(two)).toEqual(two);
  });

  it.each<[unknown, string]>([
    [null, "credentials"],
    [{ ...credentials, password: "hunter2!" }, "credentials"],
    [{ hmac_keys: credentials.hmac_keys }, "credentials.api_key"],
    [{ ...credentials, api_key: "hunter2 hunter2" }, "credentials.api_key"],
    [{ ...credentials, api_key: "hunter2\r\nx-evil: 1" }, "credentials.api_key"],
    [{ ...credentials, api_key: "hunter2-é" }, "credentials.api_key"],
    [{ api_key: credentials.api_key }, "credentials.hmac_keys"],
    [{ ...credentials, hmac_keys: "hunter2" }, "credentials.hmac_keys"],
    [{ ...credentials, hmac_keys: [] }, "credentials.hmac_keys"],
    [{ ...credentials, hmac_keys: Array(3).fill("ab".repeat(32)) }, "credentials.hmac_keys"],
    [{ ...credentials, hmac_keys: ["hunter2"] }, "credentials.hmac_keys"],
    [{ ...credentials, hmac_keys: [7] }, "credentials.hmac_keys"],
  ])("are refused without being quoted: %j", (value, param) => {
    const refusal = refusalOf(() => adyen.readCredentials(value));
    expect(refusal.param).toBe(param);
    expect(refusal.message).not.toContain("hunter2");
  });
});
