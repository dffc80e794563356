import { describe, expect, it } from "vitest";
import { NoReplyError } from "../errors.ts";
import type { CallOptions, OpenCall, Reply } from "../http.ts";
import { tryOut } from "./try-out.ts";

const connection = {
  url: "https://checkout-test.adyen.com/v72",
  apiKey: "a-secret-key",
  merchantAccount: "KilnAndClay",
};

/** @param reply what Adyen returns, or the error */
function adyenThat(reply: Reply | Error): { openCall: OpenCall; sent: unknown[] } {
  const sent: unknown[] = [];
  const openCall = (options: CallOptions) => async (call: object) => {
    sent.push(options, call);
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return { openCall, sent };
}

describe("trying out a connection to Adyen", () => {
  it("asks for payment methods, and sends nothing that could be a payment", async () => {
    const { openCall, sent } = adyenThat({ status: 200, body: { paymentMethods: [{ type: "scheme" }] } });
    await tryOut(connection, openCall);
    expect(sent).toEqual([
      { url: connection.url, headers: { "x-api-key": connection.apiKey } },
      expect.objectContaining({ path: "/paymentMethods", body: { merchantAccount: "KilnAndClay" } }),
    ]);
  });

  it.each<[string, Reply | Error, string, string]>([
    ["a wrong path", { status: 404, body: undefined }, "settings.api_url", "HTTP 404"],
    ["another server", { status: 200, body: undefined }, "settings.api_url", "HTTP 200"],
    ["another API", { status: 200, body: { hello: "world" } }, "settings.api_url", "HTTP 200"],
    ["a merchant account without cards", { status: 200, body: {} }, "settings.api_url", "cards are enabled"],
    ["silence", new NoReplyError("a test request", "ENOTFOUND"), "settings.api_url", "ENOTFOUND"],
    ["a wrong key", { status: 401, body: { errorCode: "000" } }, "credentials.api_key", "HTTP 401"],
    ["a missing role", { status: 403, body: { errorCode: "010" } }, "credentials.api_key", "roles"],
    ["a wrong merchant account", { status: 403, body: { errorCode: "901" } }, "settings.merchant_account", "901"],
  ])("refuses %s with the field to correct", async (_what, reply, param, message) => {
    const refusal = tryOut(connection, adyenThat(reply).openCall);
    await expect(refusal).rejects.toMatchObject({
      name: "AcquirerAccountError",
      param,
      message: expect.stringContaining(message),
    });
    await expect(refusal).rejects.not.toThrow("a-secret-key");
  });
});
