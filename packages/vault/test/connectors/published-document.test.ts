import { describe, expect, it } from "vitest";
import { adyenDocumentPath, openPublishedDocument } from "./published-document.ts";
import { asObject, isObject, partOf, readDocument } from "./strict-schemas.ts";

const published = openPublishedDocument();
const cardNumber = "4111111111111111";

function payment({
  card = {},
  mpiData = {},
  ...rest
}: { card?: object; mpiData?: object; [field: string]: unknown } = {}) {
  return {
    merchantAccount: "KilnECOM",
    reference: "att_1",
    amount: { value: 1450, currency: "EUR" },
    returnUrl: "https://shop.example/return",
    paymentMethod: {
      type: "scheme",
      number: cardNumber,
      expiryMonth: "03",
      expiryYear: "2030",
      cvc: "737",
      holderName: "A. Potter",
      ...card,
    },
    mpiData: {
      cavv: "AAABAWFlmQAAAABjRWWZEEFgFz8=",
      dsTransID: "c4e59ceb-a382-4d6a-bc87-385d591fa09d",
      directoryResponse: "C",
      authenticationResponse: "Y",
      eci: "05",
      threeDSVersion: "2.2.0",
      ...mpiData,
    },
    additionalData: { manualCapture: "true" },
    metadata: { order: "1" },
    ...rest,
  };
}
const checkPayment = (body: unknown) => () => published.checkRequest("POST", "/payments", body);

describe("a request to Adyen", () => {
  it("is valid if it has only fields of the document", () => {
    expect(checkPayment(payment())).not.toThrow();
  });

  it.each([
    ["dsTransId", payment({ mpiData: { dsTransId: "1" } }), "/mpiData/dsTransId (additionalProperties)"],
    ["merchantAcount", payment({ merchantAcount: "KilnECOM" }), "/merchantAcount (additionalProperties)"],
    ["cvv", payment({ card: { cvv: "737" } }), "/paymentMethod/cvv (additionalProperties)"],
  ])("is refused for the misspelled field %s", (_field, body, violation) => {
    expect(checkPayment(body)).toThrow(`POST /payments request doesn't match the published description: ${violation}`);
  });

  it.each([
    ["an amount that is text", payment({ amount: { value: "1450", currency: "EUR" } }), "/amount/value (type)"],
    ["no reference", payment({ reference: undefined }), "/reference (required)"],
    [
      "a result that doesn't exist",
      payment({ mpiData: { authenticationResponse: "C" } }),
      "/authenticationResponse (enum)",
    ],
    ["a payment method without its type", payment({ card: { type: undefined } }), "/paymentMethod/type (required)"],
  ])("is refused for %s", (_mistake, body, violation) => {
    expect(checkPayment(JSON.parse(JSON.stringify(body)))).toThrow(violation);
  });

  it("never puts a card number in an error", () => {
    const body = payment({ card: { type: "card-number", number: Number(cardNumber) }, reference: Number(cardNumber) });
    expect(checkPayment(body)).toThrow(/^(?!.*4111).*\/reference \(type\)/);
  });

  it("needs a body", () => {
    expect(checkPayment(undefined)).toThrow("(type)");
  });
});

describe("the path of a message", () => {
  const capture = { merchantAccount: "KilnECOM", amount: { value: 1450, currency: "EUR" }, reference: "cap_1" };
  const received = {
    ...capture,
    paymentPspReference: "NC6HT9CRT65ZGN82",
    pspReference: "JDD6LKT8MBLZNN84",
    status: "received",
  };

  it("matches the document's templates", () => {
    const path = "/payments/NC6HT9CRT65ZGN82/captures";
    expect(() => published.checkRequest("POST", path, capture)).not.toThrow();
    expect(() => published.checkResponse("POST", path, 201, received)).not.toThrow();
    expect(() => published.checkRequest("POST", path, { ...capture, value: 1 })).toThrow(
      "POST /payments/{paymentPspReference}/captures request doesn't match the published description: /value",
    );
  });

  it.each([
    ["POST", "/payment"],
    ["POST", "/payments/1/2/captures"],
    ["POST", "/payments//captures"],
    ["POST", "/v71/payments"],
    ["PUT", "/payments"],
    ["GET", "/payments/NC6HT9CRT65ZGN82/captures"],
  ])("must exist: %s %s doesn't", (method, path) => {
    expect(() => published.checkRequest(method, path, capture)).toThrow(`no operation ${method} ${path}`);
  });
});

describe("a response from Adyen", () => {
  const authorised = {
    pspReference: "NC6HT9CRT65ZGN82",
    merchantReference: "att_1",
    amount: { value: 1450, currency: "EUR" },
    resultCode: "Authorised",
    additionalData: { authCode: "065696", networkTxReference: "MCC000000355", avsResult: "4 AVS not supported" },
  };
  const checkResponse = (status: number, body: unknown) => () =>
    published.checkResponse("POST", "/payments", status, body);

  it("is valid if it has only fields of the document", () => {
    expect(checkResponse(200, authorised)).not.toThrow();
  });

  it("is refused for a misspelled field, or a result that doesn't exist", () => {
    expect(checkResponse(200, { ...authorised, refusalreason: "" })).toThrow("/refusalreason (additionalProperties)");
    expect(checkResponse(200, { ...authorised, resultCode: "Authorized" })).toThrow("/resultCode (enum)");
  });

  it("is checked by its status", () => {
    const error = { status: 422, errorCode: "130", message: "Reference Missing", errorType: "validation" };
    expect(checkResponse(422, error)).not.toThrow();
    expect(checkResponse(200, error)).toThrow("/errorCode (additionalProperties)");
    expect(checkResponse(201, authorised)).toThrow("POST /payments has no response with the status 201");
  });

  it("has no body if the document has none", () => {
    const check = (body: unknown) => () => published.checkResponse("DELETE", "/storedPaymentMethods/1", 204, body);
    expect(check(undefined)).not.toThrow();
    expect(check({})).toThrow("has a body, but none in the published description");
  });
});

describe("the count of checked messages", () => {
  it("is stored for each operation and direction", () => {
    const own = openPublishedDocument();
    own.checkRequest("POST", "/payments", payment());
    expect(() => own.checkRequest("POST", "/payments", {})).toThrow("/reference (required)");
    expect(() => own.checkResponse("POST", "/cancels", 400, { status: "" })).toThrow("/status (type)");
    expect([...own.checked]).toEqual([
      ["POST /payments request", 2],
      ["POST /cancels 400", 1],
    ]);
  });
});

describe("the document", () => {
  /** Where v71 contradicts its own schemas, as the operation and the example's name. */
  const contradictions = [
    "/paymentMethods 200 include-stored", // fields of a stored card that aren't in the schema
    "/paymentSession request split", // undocumented keys of additionalData
    "/payments 200 ideal", // `redirect`, which older versions had
    "/payments 200 split-balanceplatform", // undocumented keys of additionalData
    "/payments/result 200 basic", // `paymentMethod`, which older versions had
  ];

  it("has examples that match its schemas, except for known contradictions", () => {
    const failed: string[] = [];
    const examples = examplesIn(readDocument(adyenDocumentPath()));
    for (const { method, path, status, name, body } of examples) {
      try {
        if (status === null) published.checkRequest(method, path, body);
        else published.checkResponse(method, path, status, body);
      } catch {
        failed.push(`${path} ${status ?? "request"} ${name}`);
      }
    }
    expect(examples.length).toBeGreaterThan(150);
    // In v71, the errorCode in all examples of 422 is a number instead of text.
    expect(failed.filter((example) => !example.endsWith(" 422 generic") && !contradictions.includes(example))).toEqual(
      [],
    );
  });

  it("must be there", () => {
    expect(() => openPublishedDocument("/nowhere/adyen.json")).toThrow(
      "/nowhere/adyen.json doesn't exist. Run `npm run vendor-documents`, or set ADYEN_DOCUMENT",
    );
  });
});

interface Example {
  method: string;
  path: string;
  /** Null for a request. */
  status: number | null;
  name: string;
  body: unknown;
}

function examplesIn(document: unknown): Example[] {
  return entriesOf(document, "paths").flatMap(([path, operations]) =>
    entriesOf(operations).flatMap(([method, operation]) => {
      const responses = entriesOf(operation, "responses").map(([status, part]) => ({ status: Number(status), part }));
      return [{ status: null, part: partOf(operation, "requestBody") }, ...responses].flatMap(({ status, part }) =>
        entriesOf(part, "content", "application/json", "examples").map(([name, example]) => {
          const key = String(partOf(example, "$ref")).split("/").at(-1) ?? "";
          const body = partOf(document, "components", "examples", key, "value");
          return { method, path, status, name, body };
        }),
      );
    }),
  );
}

function entriesOf(document: unknown, ...keys: string[]): [string, unknown][] {
  const part = partOf(document, ...keys);
  return isObject(part) ? Object.entries(asObject(part)) : [];
}
