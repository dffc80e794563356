/** The `Link` header of the public API's errors, and the page that it leads to. */
import { describe, expect, it } from "vitest";
import { declineCodes } from "@oriel/protocol/declines";
import { errorCodes } from "@oriel/protocol/errors";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { rawRequest } from "./setup/raw-request.ts";
import { startTestService, type ApiResponse } from "./setup/test-service.ts";

const service = await openForTests(startTestService());

const linkTo = (code: string) => `</docs/errors#${code}>; rel="help"`;
const linkOf = ({ headers }: ApiResponse) => headers["link"];
const order = { amount: 4900, currency: "eur", payment_method_id: "pm_card_declined_generic" };

describe("the Link header", () => {
  it.each([
    ["a parameter is missing", "POST", "/api/v1/decisions", {}, "parameter_missing"],
    ["an object is missing", "GET", "/api/v1/charges/ch_none", undefined, "resource_missing"],
    ["the route is unknown", "GET", "/api/v1/nothing", undefined, "route_unknown"],
    ["the URL cannot be decoded", "GET", "/api/v1/charges/%zz", undefined, "route_unknown"],
    ["the method is wrong", "DELETE", "/api/v1/charges", undefined, "method_not_allowed"],
  ])("points to the error's section when %s", async (_case, method, path, body, code) => {
    const response = await rawRequest(service, {
      method,
      path,
      ...(body && { headers: ["Content-Type", "application/json"], body: JSON.stringify(body) }),
    });
    expect(response.body).toMatchObject({ error: { code } });
    expect(linkOf(response)).toBe(linkTo(code));
  });

  it("points to the error's section when the secret key is wrong", async () => {
    const response = await rawRequest(service, {
      method: "GET",
      path: "/api/v1/charges",
      token: "oriel_sk_test_wrong",
    });
    expect(linkOf(response)).toBe(linkTo("api_key_invalid"));
  });

  it("stays the same when a decline is replayed for its idempotency key", async () => {
    const charge = await declinedCharge();
    const headers = { "idempotency-key": "declined-1" };
    const [first, second] = [
      await service.call("POST", "/api/v1/charges", charge, headers),
      await service.call("POST", "/api/v1/charges", charge, headers),
    ];
    expect([first.status, second.status, second.headers["idempotent-replayed"]]).toEqual([402, 402, "true"]);
    expect([linkOf(first), linkOf(second)]).toEqual([linkTo("card_declined"), linkTo("card_declined")]);

    async function declinedCharge(): Promise<object> {
      const decision = await service.call("POST", "/api/v1/decisions", order);
      return { ...order, decision_id: decision.body["id"] };
    }
  });

  it("is absent from successful responses and from the checkout's host", async () => {
    const origin = service.config.checkoutOrigin;
    const responses = [
      await service.call("GET", "/api/v1/charges"),
      await rawRequest(service, { method: "GET", path: "/nothing", origin }),
      await rawRequest(service, { method: "GET", path: "/%zz", origin }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 404]);
    expect(responses.map(linkOf)).toEqual([undefined, undefined, undefined]);
  });
});

describe("GET /docs/errors", () => {
  it("has one anchor for each error code and each decline code", async () => {
    const response = await fetch(`${service.config.apiUrl}/docs/errors`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const anchors = [...(await response.text()).matchAll(/ id="([a-z_0-9]+)"/g)].map(([, id]) => id);
    expect(anchors).toEqual([...new Set(anchors)]);
    expect(anchors).toEqual(expect.arrayContaining([...Object.keys(errorCodes), ...declineCodes]));
  });

  it("runs no script and allows only its own style", async () => {
    const response = await fetch(`${service.config.apiUrl}/docs/errors`);
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(await response.text()).not.toMatch(/<script|href="(?!#)/);
  });
});
