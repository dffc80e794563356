/**
 * Tests the account's settings and their effect on new sessions, the setup checklist, and the dashboard's test
 * checkout.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createApiKey } from "../src/merchants/accounts/api-keys.ts";
import { checkCheckoutSession, createCheckoutSession } from "../src/payments/sessions/checkout-sessions.ts";
import { decide, review, save, submit, upload } from "./setup/application.ts";
import { auditOf, expireStepUp, refusalOf } from "./setup/dashboard-errors.ts";
import { emailsTo, newColleague, newOperator, newVisitor, type Visitor } from "./setup/dashboard-visitor.ts";
import { startTestService, type ApiResponse, type Method } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { startWebhookReceiver } from "./setup/webhook-receiver.ts";

const order = { amount: 4900, currency: "eur" };
const shop = "https://shop.example";
const none = { allowed_origins: [], return_url_hosts: [], appearance: null };

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService());

/** Creates an owner and a secret key for the owner's account. */
async function newShop() {
  const visitor = await newVisitor(service);
  const { context } = service;
  const { secretKey } = await createApiKey(
    context.db,
    { accountNo: visitor.accountNo, livemode: false },
    context.now(),
  );
  const call = (method: Method, path: string, body?: unknown): Promise<ApiResponse> =>
    service.call(method, `/api/v1/${path}`, body, { authorization: `Bearer ${secretKey}` });
  return {
    visitor,
    call,
    open: (more: object = {}) => call("POST", "checkout_sessions", { ...order, ...more }),
    set: (changes: object) => visitor.inWorkspace("PATCH", "settings", changes),
  };
}

describe("settings", () => {
  it("start empty, change one at a time and are shared by both modes", async () => {
    const { visitor, set } = await newShop();
    const base = { account_id: visitor.accountId, name: "Kiln Street" };
    expect((await visitor.inWorkspace("GET", "settings")).body).toEqual({ ...base, ...none });
    const appearance = { theme: "dark", variables: { colorPrimary: "#0c5c4c" } };
    for (const change of [
      { allowed_origins: [shop, "http://localhost:4242"] },
      { return_url_hosts: ["shop.example", "localhost:4242"] },
      { appearance },
    ])
      expect((await set(change)).body).toMatchObject(change);
    const all = {
      ...base,
      appearance,
      allowed_origins: [shop, "http://localhost:4242"],
      return_url_hosts: ["shop.example", "localhost:4242"],
    };
    expect((await set({})).body).toEqual(all);
    expect((await visitor.call("GET", `/data/${visitor.accountId}/live/settings`)).body).toEqual(all);
    expect((await set(none)).body).toEqual({ ...base, ...none });
    const lines = (await auditOf(service, visitor.accountId)).filter((line) =>
      line.startsWith("account.settings_changed"),
    );
    expect(lines).toEqual(Array(4).fill(`account.settings_changed ${visitor.accountId} by login ${visitor.email}`));
  });

  it.each([
    [{ allowed_origins: ["https://*.shop.example"] }, "400 origin_not_allowed allowed_origins[0]"],
    [{ allowed_origins: [shop, `${shop}/`] }, "400 origin_not_allowed allowed_origins[1]"],
    [{ allowed_origins: ["http://shop.example"] }, "400 origin_not_allowed allowed_origins[0]"],
    [{ allowed_origins: ["null"] }, "400 origin_not_allowed allowed_origins[0]"],
    [{ allowed_origins: [`${shop}; script-src *`] }, "400 origin_not_allowed allowed_origins[0]"],
    [{ allowed_origins: [shop, shop] }, "400 parameter_invalid allowed_origins"],
    [{ allowed_origins: shop }, "400 parameter_invalid allowed_origins"],
    [{ return_url_hosts: [shop] }, "400 url_not_allowed return_url_hosts[0]"],
    [{ return_url_hosts: ["shop.example", "*.example"] }, "400 url_not_allowed return_url_hosts[1]"],
    [{ return_url_hosts: ["shop.example/path"] }, "400 url_not_allowed return_url_hosts[0]"],
    [{ return_url_hosts: ["SHOP.example"] }, "400 url_not_allowed return_url_hosts[0]"],
    [{ return_url_hosts: ["shop.example."] }, "400 url_not_allowed return_url_hosts[0]"],
    [{ return_url_hosts: ["user@shop.example"] }, "400 url_not_allowed return_url_hosts[0]"],
    [{ return_url_hosts: [""] }, "400 url_not_allowed return_url_hosts[0]"],
    [{ appearance: { theme: "neon" } }, "400 parameter_invalid appearance.theme"],
    [
      { appearance: { variables: { colorPrimary: "url(https://evil.example)" } } },
      "400 parameter_invalid appearance.variables.colorPrimary",
    ],
    [{ appearance: { variables: { colorText: "#0000" } } }, "400 parameter_invalid appearance.variables.colorText"],
    [
      { appearance: { theme: "light", variables: { colorText: "#999" } } },
      "400 parameter_invalid appearance.variables.colorText",
    ],
    [{ appearance: { css: "*{}" } }, "400 parameter_unknown appearance.css"],
    [{ name: "New name" }, "400 parameter_unknown name"],
    [{ status: "active" }, "400 parameter_unknown status"],
    [{ live_approved_at: 1 }, "400 parameter_unknown live_approved_at"],
  ])("refuse %j and change nothing", async (changes, refused) => {
    const { visitor, set } = await newShopOnce();
    expect(refusalOf(await set(changes))).toBe(refused);
    expect((await visitor.inWorkspace("GET", "settings")).body).toMatchObject(none);
  });

  it("and sessions store an internationalized host as browsers send it, so both spellings match", async () => {
    const { open, set, visitor } = await newShop();
    const settings = { allowed_origins: ["https://bücher.example"], return_url_hosts: ["bücher.example"] };
    const stored = { allowed_origins: ["https://xn--bcher-kva.example"], return_url_hosts: ["xn--bcher-kva.example"] };
    expect((await set(settings)).body).toMatchObject(stored);
    expect((await visitor.inWorkspace("GET", "settings")).body).toMatchObject(stored);
    for (const shopInUse of ["https://bücher.example", "https://xn--bcher-kva.example"]) {
      const urls = { return_url: `${shopInUse}/danke?größe=1`, cancel_url: `${shopInUse}/` };
      expect((await open({ allowed_origins: [shopInUse], ...urls })).body["session"]).toMatchObject({
        allowed_origins: ["https://xn--bcher-kva.example"],
        return_url: "https://xn--bcher-kva.example/danke?größe=1",
        cancel_url: "https://xn--bcher-kva.example/",
      });
    }
    expect(refusalOf(await open({ return_url: "https://bäcker.example/" }))).toBe("400 url_not_allowed return_url");
  });

  it("require a recent step-up for origins and hosts but not for the appearance", async () => {
    const { visitor, set } = await newShop();
    await expireStepUp(service, visitor);
    for (const changes of [
      { allowed_origins: [shop] },
      { return_url_hosts: ["shop.example"] },
      { allowed_origins: [] },
      { appearance: null, return_url_hosts: [] },
    ])
      expect(refusalOf(await set(changes))).toBe("403 step_up_required");
    expect((await set({ appearance: { theme: "dark" } })).status).toBe(200);
    expect((await visitor.inWorkspace("GET", "settings")).body).toMatchObject({
      ...none,
      appearance: { theme: "dark" },
    });
  });

  it("notify every owner by email, and nobody else, when origins or hosts change", async () => {
    const { visitor: owner, set } = await newShop();
    const second = await newColleague(service, owner, "owner");
    const developer = await newColleague(service, owner, "developer");
    const emailsAbout = ({ email }: Visitor) =>
      emailsTo(service, email).filter((text) => text.includes("Hosts of return_url"));
    await set({ appearance: { theme: "dark" } });
    await developer.inWorkspace("PATCH", "settings", { allowed_origins: [shop], return_url_hosts: [] });
    for (const visitor of [owner, second]) {
      const email = await until("the email", () => emailsAbout(visitor)[0] ?? null);
      expect(email).toContain(
        `${developer.email} changed the allowed origins or redirect hosts of the account Kiln Street`,
      );
      expect(email).toContain(`\nOrigins that can embed the checkout:\n${shop}\n`);
      expect(email).toContain("\nHosts of return_url and cancel_url:\nNone. Any host is allowed.\n");
    }
    await set({ allowed_origins: [shop], return_url_hosts: [] }); // unchanged
    await set({ return_url_hosts: ["shop.example", "localhost:4242"] });
    const next = await until("the second email", () => emailsAbout(owner)[1] ?? null);
    expect(next).toContain(`${owner.email} changed`);
    expect(next).toContain("\nshop.example\nlocalhost:4242\n");
    expect(emailsAbout(owner)).toHaveLength(2);
    expect(emailsAbout(developer)).toEqual([]);
  });

  it("let only an owner change the seller name that customers see", async () => {
    const { visitor, call } = await newShop();
    const developer = await newColleague(service, visitor, "developer");
    const name = "Kiln & <Daughters>";
    expect(refusalOf(await developer.inWorkspace("PUT", "settings/name", { name }))).toBe("403 permission_missing");
    expect((await visitor.inWorkspace("PUT", "settings/name", { name })).body).toMatchObject({ name });
    for (const wrong of ["", " ", "two\nlines", "x".repeat(101), "Pay at www.evil.example", "oriel_sk_test_1"])
      expect(refusalOf(await visitor.inWorkspace("PUT", "settings/name", { name: wrong }))).toBe(
        "400 parameter_invalid name",
      );
    const approved = service.context.db.updateTable("account").where("id", "=", visitor.accountId);
    await approved.set({ live_approved_at: new Date() }).execute();
    expect(refusalOf(await visitor.inWorkspace("PUT", "settings/name", { name: "Another bank" }))).toBe(
      "409 not_possible_now",
    );
    await approved.set({ live_approved_at: null }).execute();
    expect(await auditOf(service, visitor.accountId)).toContain(
      `account.renamed ${visitor.accountId} by login ${visitor.email}`,
    );
    expect((await call("GET", "checkout_sessions")).status).toBe(200);
  });

  it("lock the account's name while its application is under review and unlock it afterwards", async () => {
    const { visitor } = await newShop();
    const operator = await newOperator(service);
    const rename = (name: string) => visitor.inWorkspace("PUT", "settings/name", { name });
    await save(visitor);
    await upload(visitor);
    expect((await rename("Before it is sent")).status).toBe(200);
    const id = String((await submit(visitor)).body["application"]?.["id"]);
    expect(refusalOf(await rename("Another bank"))).toBe("409 not_possible_now");
    await review(operator, id);
    expect(refusalOf(await rename("Another bank"))).toBe("409 not_possible_now");
    expect((await operator.call("GET", `/operator/applications/${id}`)).body["account"]).toMatchObject({
      name: "Before it is sent",
    });
    await decide(operator, id, "request_information", "Please add a bank statement.");
    expect((await rename("While more is requested")).status).toBe(200);
  });

  it("never change the account's name after its application is submitted, even with concurrent requests", async () => {
    for (const isRenamedFirst of [true, false]) {
      const { visitor } = await newShop();
      await save(visitor);
      await upload(visitor);
      const rename = () => visitor.inWorkspace("PUT", "settings/name", { name: "Another bank" });
      const requests = isRenamedFirst ? [rename(), submit(visitor)] : [submit(visitor), rename()].toReversed();
      const [renamed, submitted] = (await Promise.all(requests)).map(refusalOf);
      expect(submitted).toBe("200");
      const { db } = service.context;
      const audited = db.selectFrom("audit_log").select("action").where("account_id", "=", visitor.accountId);
      const steps = (await audited.orderBy("sequence").execute()).map(({ action }): string => action);
      expect(renamed).toBe(steps.includes("account.renamed") ? "200" : "409 not_possible_now");
      expect(steps.indexOf("account.renamed")).toBeLessThan(steps.indexOf("application.submitted")); // -1: not renamed
    }
  });
});

let once: ReturnType<typeof newShop> | undefined;
const newShopOnce = () => (once ??= newShop());

describe("a session that the merchant's server creates", () => {
  it("may be embedded only by the account's origins, and by all of them unless it names some", async () => {
    const { set, open } = await newShop();
    await set({ allowed_origins: [shop, "http://localhost:4242"] });
    const opened = await open();
    expect(opened.body["session"]?.["allowed_origins"]).toEqual([shop, "http://localhost:4242"]);
    expect((await open({ allowed_origins: [shop] })).body["session"]?.["allowed_origins"]).toEqual([shop]);
    const wider = await open({ allowed_origins: [shop, "https://other.example"] });
    expect(refusalOf(wider)).toBe("400 origin_not_allowed allowed_origins[1]");
  });

  it("leaves out test-only origins in live mode", async () => {
    const { visitor, set } = await newShop();
    await set({ allowed_origins: ["http://localhost:4242", shop] });
    const { context } = service;
    const tenant = { accountNo: visitor.accountNo, livemode: true };
    const defaults = await checkCheckoutSession(context, tenant, order);
    const created = await createCheckoutSession(context, context.db, tenant, order, defaults);
    expect(created?.session.allowed_origins).toEqual([shop]);
  });

  it("redirects customers only to the account's hosts if any are set", async () => {
    const { set, open } = await newShop();
    const urls = { return_url: "https://other.example/thanks", cancel_url: "https://other.example:8443/cart" };
    expect((await open(urls)).status).toBe(200);
    await set({ return_url_hosts: ["shop.example", "localhost:4242"] });
    expect(refusalOf(await open(urls))).toBe("400 url_not_allowed return_url");
    const fine = { return_url: `${shop}/thanks?a=b`, cancel_url: "http://localhost:4242/cart" };
    expect((await open(fine)).body["session"]).toMatchObject(fine);
    expect((await open({ return_url: "https://shop.example:443/thanks" })).status).toBe(200);
    for (const cancel_url of [
      "https://shop.example:8443/",
      "http://localhost/",
      "https://shop.example.evil.example/",
      "https://evil.example/?shop.example",
      "https://notshop.example/",
    ])
      expect(refusalOf(await open({ ...fine, cancel_url }))).toBe("400 url_not_allowed cancel_url");
  });

  it("uses the account's appearance unless it sets its own", async () => {
    const { set, open } = await newShop();
    const appearance = { theme: "dark", labels: "floating" };
    await set({ appearance });
    const before = await open();
    expect(before.body["session"]?.["appearance"]).toEqual(appearance);
    expect((await open({ appearance: { theme: "light" } })).body["session"]?.["appearance"]).toEqual({
      theme: "light",
    });
    await set({ appearance: null });
    expect((await open()).body["session"]?.["appearance"]).toBeNull();
  });
});

describe("the checklist", () => {
  it("shows when each step was first completed in this mode", async () => {
    const { visitor, call, open } = await newShop();
    const list = async () => (await visitor.inWorkspace("GET", "integrate")).body;
    const nothing = {
      key_created: expect.any(Number),
      key_used: null,
      session_created: null,
      payment_succeeded: null,
      endpoint_created: null,
      webhook_answered: null,
    };
    expect(await list()).toEqual(nothing);
    await open();
    const opened = { ...nothing, key_used: expect.any(Number), session_created: expect.any(Number) };
    await until("the key's use to be recorded", async () => (await list())["key_used"]);
    expect(await list()).toEqual(opened);

    receiver.react = (_webhook, response) => void response.writeHead(500).end();
    await visitor.inWorkspace("POST", "webhook_endpoints", { url: `${receiver.url}/checklist` });
    const decision = await call("POST", "decisions", { ...order, payment_method_id: "pm_card_declined_generic" });
    await call("POST", "charges", {
      ...order,
      payment_method_id: "pm_card_declined_generic",
      decision_id: decision.body["id"],
    });
    await receiver.at("/checklist", 1); // the failed payment's webhook
    expect(await list()).toEqual({ ...opened, endpoint_created: expect.any(Number) });

    receiver.react = (_webhook, response) => void response.end("ok");
    const approved = await call("POST", "decisions", { ...order, payment_method_id: "pm_card_visa" });
    await call("POST", "charges", { ...order, payment_method_id: "pm_card_visa", decision_id: approved.body["id"] });
    const all = await until("all steps to be completed", async () => {
      const now = await list();
      return Object.values(now).every((time) => Number(time) > 1_600_000_000) ? now : null;
    });
    const [before] = await Promise.all([list(), open()]);
    expect(before).toEqual(all);
    expect((await visitor.call("GET", `/data/${visitor.accountId}/live/integrate`)).body).toEqual({
      ...nothing,
      key_created: null,
    });
  });
});

describe("the test checkout", () => {
  const tried = { amount: 1999, currency: "jpy" };

  it("is a test session that only the dashboard's own page may embed, whatever origins the account lists", async () => {
    const { visitor, call, set } = await newShop();
    await set({ allowed_origins: [shop], return_url_hosts: ["shop.example"], appearance: { theme: "dark" } });
    const { body } = await visitor.inWorkspace("POST", "integrate/session", tried);
    expect(body).toEqual({ embed_url: expect.stringMatching(/\/c\/cs_\w{33}#[\w-]{43}$/) });
    const id = /cs_\w{33}/.exec(String(body["embed_url"]))?.[0];
    expect((await call("GET", `checkout_sessions/${id}`)).body).toMatchObject({
      ...tried,
      allowed_origins: [service.config.dashboardOrigin],
      description: "Test from the dashboard",
      appearance: { theme: "dark" },
      livemode: false,
    });
    expect(await auditOf(service, visitor.accountId)).toContain(
      `checkout_session.tested ${id} by login ${visitor.email}`,
    );
  });

  it("requires the developer role, test mode and a supported currency", async () => {
    const { visitor } = await newShopOnce();
    const reader = await newColleague(service, visitor, "read_only");
    expect(refusalOf(await reader.inWorkspace("POST", "integrate/session", tried))).toBe("403 permission_missing");
    expect((await reader.inWorkspace("GET", "integrate")).status).toBe(200);
    const inLive = `/data/${visitor.accountId}/live/integrate/session`;
    expect(refusalOf(await visitor.call("POST", inLive, tried))).toBe("409 not_possible_now");
    for (const [body, refused] of [
      [{ ...tried, currency: "xxx" }, "400 currency_unknown currency"],
      [{ ...tried, amount: 0 }, "400 amount_invalid amount"],
      [{ ...tried, amount: 19.99 }, "400 amount_invalid amount"],
      [{ amount: 1999 }, "400 parameter_missing currency"],
      [{ ...tried, allowed_origins: [shop] }, "400 parameter_unknown allowed_origins"],
    ] as const)
      expect(refusalOf(await visitor.inWorkspace("POST", "integrate/session", body))).toBe(refused);
  });
});
