/**
 * Checks that the OpenAPI document is accurate, complete and valid: it passes a linter, its examples match its schemas,
 * and the running service's responses match them too.
 */
import { createConfig, lintFromString } from "@redocly/openapi-core";
import Schema from "typebox/schema";
import { describe, expect, it } from "vitest";
import { allEventTypes } from "@oriel/protocol/api";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { startTestService, type Method } from "./setup/test-service.ts";

interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Body {
  description?: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  description?: string;
  tags: string[];
  parameters?: { in: string; name: string }[];
  requestBody?: Body & { required: boolean };
  responses: Record<string, Body & { $ref?: string }>;
}
interface Document {
  openapi: string;
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, object>; responses: Record<string, Body>; headers: Record<string, object> };
}

const service = await openForTests(startTestService());
// The tests below check the relevant parts.
const document = (await service.call("GET", "/api/v1/openapi.json")).body as unknown as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    where: `${method.toUpperCase()} ${path}`,
    path,
    method,
    operation,
  })),
);
if (operations.length < 20)
  throw new Error("The document describes almost nothing, so the tests below would check nothing");

describe("The document", () => {
  it("passes Redocly's recommended rules", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const findings = await lintFromString({ source: JSON.stringify(document), absoluteRef: "openapi.json", config });

    expect(
      findings.map(
        ({ severity, ruleId, message, location }) => `${severity} ${ruleId} at ${location[0]?.pointer}: ${message}`,
      ),
    ).toEqual([]);
  });

  it("gives every operation a unique name and a described tag", () => {
    const explained = document.tags.filter(({ description }) => description !== "").map(({ name }) => [name]);
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
    for (const { operation } of operations) expect(explained).toContainEqual(operation.tags);
  });

  it("gives every response its own description", () => {
    const descriptions = operations.flatMap(({ where, operation }) =>
      Object.entries(operation.responses).map(
        ([status, response]) => `${where} ${status}: ${resolve(response).description}`,
      ),
    );
    expect(descriptions.length).toBeGreaterThan(operations.length);
    for (const description of descriptions) expect(description).toMatch(/\d{3}: [A-Z].+[a-z)]\.$/);
  });

  it("lists the error statuses of each operation", () => {
    const described = operations.map(({ where, operation }) => [where, ...Object.keys(operation.responses).sort()]);
    const expected = operations.map(({ where, path, method }) => [
      where,
      "200",
      "400",
      "401",
      ...(method === "post" && /^\/api\/v1\/(charges|refunds)/.test(path) ? ["402"] : []),
      ...(path.includes("{id}") ? ["404"] : []),
      ...(method === "post" ? ["422"] : []),
      "429",
      "500",
      "503",
    ]);
    expect(described).toEqual(expected);
  });

  it("describes the headers of every response and the Idempotency-Key of every POST", () => {
    for (const { where, method, operation } of operations) {
      const sent = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === "header")
        .map(({ name }) => name);
      expect({ where, sent }).toEqual({ where, sent: method === "post" ? ["idempotency-key"] : [] });
      for (const [status, response] of Object.entries(operation.responses)) {
        const names = Object.keys(resolve(response).headers ?? {});
        expect(names).toEqual(expect.arrayContaining(["Request-Id", "RateLimit", "RateLimit-Policy"]));
        const retry = names.includes("Retry-After");
        expect({ where, status, retry }).toEqual({ where, status, retry: ["429", "503"].includes(status) });
      }
      const replayed = Object.keys(operation.responses["200"]?.headers ?? {}).includes("Idempotent-Replayed");
      expect({ where, replayed }).toEqual({ where, replayed: method === "post" });
    }
  });

  it("warns about refunds after a chargeback, and names the header of a 401 response", () => {
    const refund = operations.find(({ operation }) => operation.operationId === "createRefund");
    expect(refund?.operation.description).toContain("if you refund a charge after a chargeback");
    for (const { operation } of operations)
      expect(Object.keys(resolve(operation.responses["401"] ?? {}).headers ?? {})).toContain("WWW-Authenticate");
  });

  it("documents the webhook of every event type", () => {
    expect(Object.keys(document.webhooks)).toEqual([...allEventTypes]);
  });
});

describe("The examples", () => {
  it("exist for each body and each response and match their schemas", () => {
    const webhooks = Object.entries(document.webhooks).map(([where, { post }]) => ({ where, operation: post }));
    const described = [...operations, ...webhooks];
    const seen = new Set<string>();
    for (const { where, operation } of described) {
      for (const [what, body] of Object.entries({ body: operation.requestBody ?? {}, ...operation.responses })) {
        const media = resolve(body).content?.["application/json"];
        if (media === undefined) continue;
        seen.add(where);
        const values =
          media.examples === undefined ? [media.example] : Object.values(media.examples).map(({ value }) => value);
        const wrong = values.flatMap((value) => mismatches(media.schema, value));
        expect({ where, what, wrong, some: values.length > 0 }).toEqual({ where, what, wrong: [], some: true });
      }
    }
    expect([...seen]).toEqual(described.map(({ where }) => where));
  });

  it("fail this check when they don't match (control)", () => {
    const media = operation("createCharge").responses["200"]?.content?.["application/json"];
    expect(mismatches(media?.schema ?? {}, { ...(media?.example as object), amount: "4900" })).not.toEqual([]);
    expect(mismatches(media?.schema ?? {}, { ...(media?.example as object), surprise: true })).not.toEqual([]);
  });

  it("work when they are sent: a session, a decision, a charge, a partial refund", async () => {
    const { session } = await send("createCheckoutSession", "/checkout_sessions");
    const path = `/checkout_sessions/${idOf(session)}`;
    expect(idOf(await receive("retrieveCheckoutSession", path))).toBe(idOf(session));
    await receive("listCheckoutSessions", "/checkout_sessions");
    expect(await send("replaceEmbedUrl", `${path}/embed_url`)).toMatchObject({ session: { status: "open" } });
    expect(await send("expireCheckoutSession", `${path}/expire`)).toMatchObject({ status: "expired" });

    const decision = await send("createDecision", "/decisions");
    await receive("retrieveDecision", `/decisions/${idOf(decision)}`);
    const charge = await send("createCharge", "/charges", { decision_id: idOf(decision) });
    expect(idOf(await receive("retrieveCharge", `/charges/${idOf(charge)}`))).toBe(idOf(charge));
    await receive("listCharges", "/charges");
    const refund = await send("createRefund", "/refunds", { charge_id: idOf(charge) });
    expect(await receive("retrieveRefund", `/refunds/${idOf(refund)}`)).toMatchObject({
      amount: 1500,
      status: "succeeded",
    });
    await receive("listRefunds", "/refunds");
    const { data } = await receive("listLedgerEntries", `/ledger_entries?charge_id=${idOf(charge)}`);
    expect(data).toMatchObject([{ kind: "capture" }, { kind: "refund", amount: -1500 }]);
    await receive("listDisputes", "/disputes");
  });

  it("work when they are sent: a partial capture and a cancellation", async () => {
    const captured = await send("captureCharge", `/charges/${idOf(await reserve())}/capture`);
    expect(captured).toMatchObject({ status: "succeeded", amount: 4900, amount_captured: 2450 });
    const canceled = await send("cancelCharge", `/charges/${idOf(await reserve())}/cancel`);
    expect(canceled).toMatchObject({ status: "canceled", amount_captured: 0 });
  });

  it("work when they are sent: webhook endpoints and events", async () => {
    const url = "http://127.0.0.1:1026/hooks"; // no server listens on this port
    const endpoint = await send("createWebhookEndpoint", "/webhook_endpoints", { url });
    const path = `/webhook_endpoints/${idOf(endpoint)}`;
    expect(idOf(await receive("retrieveWebhookEndpoint", path))).toBe(idOf(endpoint));
    await receive("listWebhookEndpoints", "/webhook_endpoints");
    await send("rotateWebhookEndpoint", `${path}/rotate_secret`);
    const ping = await send("pingWebhookEndpoint", `${path}/ping`);
    expect((await receive("listDeliveries", `${path}/deliveries`))["data"]).toMatchObject([{ event_id: idOf(ping) }]);
    await send("redeliverWebhookEndpoint", `${path}/redeliver`);
    await send("redeliverEvent", `/events/${idOf(ping)}/redeliver`, { webhook_endpoint_id: idOf(endpoint) });
    expect(await receive("listEvents", "/events?after=start")).toMatchObject({ cursor: expect.any(String) });
    expect(await send("updateWebhookEndpoint", path, {}, "PATCH")).toMatchObject({ status: "disabled" });
    expect(await exchange("deleteWebhookEndpoint", "DELETE", path, undefined)).toMatchObject({ deleted: true });
    const { data } = await receive("listEvents", "/events");
    const [event] = data as unknown[];
    expect(idOf(await receive("retrieveEvent", `/events/${idOf(event)}`))).toBe(idOf(event));
  });

  it("match the real errors", async () => {
    for (const [method, path, body, status] of [
      ["POST", "/charges", {}, 400],
      ["GET", "/charges/ch_1", undefined, 404],
    ] as const) {
      const response = await service.call(method, `/api/v1${path}`, body);
      expect(response.status).toBe(status);
      expect(mismatches({ $ref: "#/components/schemas/Error" }, response.body)).toEqual([]);
    }
  });
});

/** Sends an operation's example and checks the response against the operation's description. */
async function send(
  operationId: string,
  path: string,
  changes: object = {},
  method: "POST" | "PATCH" = "POST",
): Promise<Record<string, unknown>> {
  const example = operation(operationId).requestBody?.content?.["application/json"]?.example as object;
  return await exchange(operationId, method, path, { ...example, ...changes });
}

async function reserve(): Promise<unknown> {
  const decision = await send("createDecision", "/decisions");
  return await send("createCharge", "/charges", { decision_id: idOf(decision), capture_method: "manual" });
}

async function receive(operationId: string, path: string): Promise<Record<string, unknown>> {
  return await exchange(operationId, "GET", path, undefined);
}

async function exchange(operationId: string, method: Method, path: string, body: object | undefined) {
  const response = await service.call(method, `/api/v1${path}`, body);
  expect({ operationId, status: response.status, body: response.body }).toMatchObject({ operationId, status: 200 });
  const schema = operation(operationId).responses["200"]?.content?.["application/json"]?.schema ?? {};
  expect({ operationId, wrong: mismatches(schema, response.body) }).toEqual({ operationId, wrong: [] });
  return response.body;
}

function idOf(object: unknown): string {
  return (object as { id: string }).id; // the response has already been checked against its schema
}

function operation(id: string): Operation {
  const found = operations.find(({ operation: { operationId } }) => operationId === id);
  if (found === undefined) throw new Error(`No operation ${id}`);
  return found.operation;
}

function resolve<B extends Body>(body: B & { $ref?: string }): Body {
  return body.$ref === undefined ? body : (document.components.responses[body.$ref.split("/").at(-1) ?? ""] ?? {});
}

/** Lists the parts of a value that don't match a schema of the document. */
function mismatches(schema: object, value: unknown): unknown[] {
  const [fits, errors] = Schema.Errors({ ...schema, components: document.components }, value);
  return fits ? [] : errors;
}
