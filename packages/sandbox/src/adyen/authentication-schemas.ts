/**
 * Schemas of the requests for native 3-D Secure without a payment. As in `request-schemas.ts`, unknown fields are refused.
 * `/payments` with 3-D Secure by Adyen and a payment isn't supported.
 */
import { object, paymentSchema, text } from "./request-schemas.ts";

const integer = { type: "integer", minimum: 0, maximum: 100_000 };

const { mpiData: _, captureDelayHours: __, additionalData: ___, ...sharedProperties } = paymentSchema.properties;

const authenticationSchema = object(
  [...paymentSchema.required, "authenticationData", "channel", "origin", "browserInfo", "threeDS2RequestData"],
  {
    ...sharedProperties,
    authenticationData: object(["authenticationOnly", "threeDSRequestData"], {
      authenticationOnly: { const: true },
      attemptAuthentication: { const: "always" },
      threeDSRequestData: object(["nativeThreeDS"], { nativeThreeDS: { const: "preferred" } }),
    }),
    channel: { const: "Web" },
    origin: { type: "string", pattern: "^https?://[^/]+$", maxLength: 80 },
    browserInfo: object(
      [
        "acceptHeader",
        "userAgent",
        "language",
        "colorDepth",
        "screenHeight",
        "screenWidth",
        "timeZoneOffset",
        "javaEnabled",
      ],
      {
        acceptHeader: text(2048),
        userAgent: text(2048),
        language: text(35),
        colorDepth: { enum: [1, 4, 8, 15, 16, 24, 30, 32, 48] },
        screenHeight: integer,
        screenWidth: integer,
        timeZoneOffset: { type: "integer", minimum: -1_440, maximum: 1_440 },
        javaEnabled: { type: "boolean" },
        javaScriptEnabled: { type: "boolean" },
      },
    ),
    threeDS2RequestData: object(["notificationURL"], {
      notificationURL: { type: "string", pattern: "^https?://.", maxLength: 256 },
      merchantName: text(40),
      threeDSRequestorChallengeInd: { enum: ["01", "02", "03", "04", "05", "06"] },
    }),
  },
);

/** For `/payments`, with or without a payment. */
export const paymentOrAuthenticationSchema = {
  type: "object",
  if: {
    required: ["authenticationData"],
    properties: {
      authenticationData: {
        type: "object",
        required: ["authenticationOnly"],
        properties: { authenticationOnly: { const: true } },
      },
    },
  },
  // oxlint-disable-next-line unicorn/no-thenable -- a JSON Schema keyword
  then: authenticationSchema,
  else: paymentSchema,
};

const base64 = { type: "string", pattern: "^[0-9A-Za-z+/]{1,50000}={0,2}$" };

export const detailsSchema = object(["details"], {
  details: {
    ...object([], { "threeds2.fingerprint": base64, threeDSResult: base64, "threeds2.challengeResult": base64 }),
    minProperties: 1,
    maxProperties: 1,
  },
  paymentData: text(50_000),
  authenticationData: object(["authenticationOnly"], { authenticationOnly: { const: true } }),
});
