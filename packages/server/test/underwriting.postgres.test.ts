/**
 * Tests how an account gets live mode: what an application must contain, who may take which step in which state, what
 * is stored, and who is notified.
 */
import { beforeEach, describe, expect, it } from "vitest";
import type { SaveApplication } from "@oriel/protocol/dashboard/underwriting";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createApiKey } from "../src/merchants/accounts/api-keys.ts";
import {
  applicationIn,
  completeApplication,
  decide,
  personalData,
  review,
  save,
  submission,
  submit,
  take,
  upload,
  type Status,
} from "./setup/application.ts";
import { auditOf, expireStepUp, refusalOf } from "./setup/dashboard-errors.ts";
import { emailsTo, newColleague, newOperator, newVisitor, type Visitor } from "./setup/dashboard-visitor.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());
const operator = await newOperator(service);
const second = await newOperator(service);
let owner: Visitor;
beforeEach(async () => {
  owner = await newVisitor(service, { accountName: "Kiln Street" });
});

const current = async (visitor = owner) =>
  (await visitor.inWorkspace("GET", "application")).body["application"] ?? null;
const seen = async (id: string) => (await operator.call("GET", `/operator/applications/${id}`)).body;
const liveApproval = async () =>
  (
    await service.context.db
      .selectFrom("account")
      .selectAll()
      .where("id", "=", owner.accountId)
      .executeTakeFirstOrThrow()
  ).live_approved_at;
const liveKey = () =>
  createApiKey(service.context.db, { accountNo: owner.accountNo, livemode: true }, service.context.now());
const without = (...path: (keyof SaveApplication)[]) =>
  Object.fromEntries(
    Object.entries(completeApplication).filter(([name]) => !path.includes(name as keyof SaveApplication)),
  );

describe("an application", () => {
  it("doesn't exist at first, becomes a draft, is returned for more information, and opens live mode once approved", async () => {
    expect((await owner.inWorkspace("GET", "application")).body).toEqual({ application: null });
    expect(refusalOf(await submit(owner))).toBe("409 not_possible_now");

    const saved = await save(owner, { country: "DE" });
    const id = String(saved.body["application"]?.["id"]);
    expect(saved.body["application"]).toEqual({
      id: expect.stringMatching(/^app_[0-9a-z]{33}$/),
      version: expect.any(String),
      status: "draft",
      details: { country: "DE" },
      documents: [],
      reason: null,
      bank_account_set: null,
      created: expect.any(Number),
      submitted: null,
      decided: null,
      history: [{ from: null, to: "draft", reason: null, created: expect.any(Number) }],
    });
    expect(refusalOf(await submit(owner))).toBe("400 parameter_missing legal_entity");
    await save(owner);
    expect(refusalOf(await submit(owner))).toBe("400 parameter_missing documents");
    const document = await upload(owner);
    expect(document.status).toBe(200);
    expect((await submit(owner)).body["application"]).toMatchObject({
      id,
      status: "submitted",
      submitted: expect.any(Number),
    });

    expect((await review(operator, id)).body).toMatchObject({ id, status: "in_review" });
    expect((await current())?.["status"]).toBe("in_review");
    const response = await decide(operator, id, "request_information", "Please add a bank statement.");
    expect(response.body).toMatchObject({ status: "needs_information", decided: null });
    expect(await current()).toMatchObject({ status: "needs_information", reason: "Please add a bank statement." });
    expect(await liveApproval()).toBeNull();

    expect((await save(owner, { ...without("bank_account"), mcc: "5999" })).status).toBe(200);
    expect((await submit(owner)).body["application"]).toMatchObject({ status: "submitted", reason: null });
    await review(operator, id);
    await expect(liveKey()).rejects.toThrow("isn't approved for live mode");
    expect((await decide(operator, id, "approve", "Known in the street.")).body).toMatchObject({
      status: "approved",
      decided: expect.any(Number),
    });

    expect(await current()).toMatchObject({ status: "approved", reason: null });
    expect(await liveApproval()).toEqual(expect.any(Date));
    const { secretKey } = await liveKey();
    const withLiveKey = await service.call("GET", "/api/v1/charges", undefined, {
      authorization: `Bearer ${secretKey}`,
    });
    expect(refusalOf(withLiveKey)).toBe("503 live_mode_unavailable");
    expect((await owner.call("GET", "/auth/me")).body["memberships"]).toMatchObject([{ is_live_approved: true }]);

    const merchant = `login ${owner.email}`;
    const decider = `login ${operator.email}`;
    const { history, documents, details } = await seen(id);
    expect(history).toEqual(
      [
        [merchant, null, "draft", null],
        [merchant, "draft", "submitted", null],
        [decider, "submitted", "in_review", null],
        [decider, "in_review", "needs_information", "Please add a bank statement."],
        [merchant, "needs_information", "submitted", null],
        [decider, "submitted", "in_review", null],
        [decider, "in_review", "approved", "Known in the street."],
      ].map(([actor, from, to, reason]) => ({ actor, from, to, reason, created: expect.any(Number) })),
    );
    expect(documents).toMatchObject([{ id: document.body["id"], name: "Register.pdf" }]);
    expect(details).toEqual({
      ...completeApplication,
      mcc: "5999",
      bank_account: { holder_name: "Kiln Street Pottery", iban: "DE89370400440532013000" },
    });
    const audited = await auditOf(service, owner.accountId);
    expect(audited.filter((line) => line.startsWith("application."))).toEqual([
      `application.saved ${id} by ${merchant}`,
      `application.saved ${id} by ${merchant}`,
      `application.document_added ${String(document.body["id"])} by ${merchant}`,
      `application.submitted ${id} by ${merchant}`,
      `application.review_started ${id} by ${decider}`,
      `application.information_requested ${id} by ${decider}`,
      `application.saved ${id} by ${merchant}`,
      `application.submitted ${id} by ${merchant}`,
      `application.review_started ${id} by ${decider}`,
      `application.approved ${id} by ${decider}`,
    ]);
  });

  it("shows its merchant every step, but neither which operator took it nor why it was approved", async () => {
    const id = await applicationIn("needs_information", owner, operator);
    for (const step of ["submit", "review", "approve"] as const)
      expect((await take(step, owner, operator, id)).status).toBe(200);
    const application = await current();
    expect(application?.["history"]).toEqual(
      [
        [null, "draft", null],
        ["draft", "submitted", null],
        ["submitted", "in_review", null],
        ["in_review", "needs_information", "Because of request_information."],
        ["needs_information", "submitted", null],
        ["submitted", "in_review", null],
        ["in_review", "approved", null],
      ].map(([from, to, reason]) => ({ from, to, reason, created: expect.any(Number) })),
    );
    expect(JSON.stringify(application)).not.toContain(operator.email);
    expect(JSON.stringify(application)).not.toContain("Because of approve.");
    expect(JSON.stringify(await seen(id))).toContain("Because of approve."); // the operator did give a reason
  });

  it("stays unchanged after it is rejected, and a new draft can follow", async () => {
    const id = await applicationIn("rejected", owner, operator);
    expect(await current()).toMatchObject({ id, status: "rejected", reason: "Because of reject." });
    expect((await current())?.["history"]).toHaveLength(4);
    expect(await liveApproval()).toBeNull();
    const next = (await save(owner, { country: "AT" })).body["application"];
    expect(next).toMatchObject({
      status: "draft",
      details: { country: "AT" },
      reason: null,
      history: [{ to: "draft" }],
    });
    expect(next?.["id"]).not.toBe(id);
    expect(await seen(id)).toMatchObject({ status: "rejected", details: { country: "DE" } });
  });

  it("doesn't open live mode when it is rejected or returned", async () => {
    const { db, now } = service.context;
    const account = db.updateTable("account").where("id", "=", owner.accountId);
    for (const decision of ["reject", "request_information"]) {
      const id = await applicationIn("in_review", owner, operator);
      await account.set({ live_approved_at: now() }).execute();
      expect((await decide(operator, id, decision, "No.")).status).toBe(200);
      expect(await liveApproval()).toBeNull();
    }
  });

  it("is created once, however many drafts are started at the same moment", async () => {
    const drafts = Array.from({ length: 8 }, (_, index) => ({ mcc: `100${index}`, version: null }));
    const responses = await Promise.all(drafts.map((draft) => owner.inWorkspace("PUT", "application", draft)));
    expect(responses.map(refusalOf).sort()).toEqual(["200", ...Array(7).fill("409 changed_meanwhile")]);
    const created = responses.find(({ status }) => status === 200)?.body["application"];
    expect(await current()).toEqual(created);
  });

  it("belongs to the account in both modes, and only owners can see it", async () => {
    const id = await applicationIn("draft", owner, operator);
    const live = await owner.call("GET", `/data/${owner.accountId}/live/application`);
    expect(live.body["application"]).toMatchObject({ id });
    const developer = await newColleague(service, owner, "developer");
    for (const response of [
      await developer.inWorkspace("GET", "application"),
      await save(developer),
      await submit(developer),
    ])
      expect(refusalOf(response)).toBe("403 permission_missing");
    const stranger = await newVisitor(service);
    const path = `/data/${owner.accountId}/test/application`;
    for (const response of [
      await stranger.call("GET", path),
      await stranger.call("PUT", path, completeApplication),
      await stranger.call("POST", `${path}/submit`, {}),
      await operator.call("GET", path),
    ])
      expect(refusalOf(response)).toBe("404 resource_missing");
    expect(await current(stranger)).toBeNull();
  });

  it("requires a step-up to change payout details, and shows and audits who changed them and when", async () => {
    expect((await save(owner, completeApplication)).body["application"]).toMatchObject({
      bank_account_set: { by: owner.email, at: expect.any(Number) },
    });
    const colleague = await newColleague(service, owner, "owner");
    await expireStepUp(service, colleague);
    const bank_account = { holder_name: "Somebody else", iban: "GB33BUKB20201555555555" };
    expect(refusalOf(await save(colleague, { ...completeApplication, bank_account }))).toBe("403 step_up_required");
    expect(await current()).toMatchObject({
      details: { bank_account: { holder_name: "Kiln Street Pottery" } },
      bank_account_set: { by: owner.email },
    });
    // The other fields can be changed without a step-up and leave the payout details unchanged.
    expect((await save(colleague, { ...without("bank_account"), mcc: "5999" })).status).toBe(200);
    expect(await current()).toMatchObject({ details: { mcc: "5999" }, bank_account_set: { by: owner.email } });

    await service.context.db.updateTable("login_session").set({ stepped_up_at: new Date() }).execute();
    expect((await save(colleague, { ...completeApplication, bank_account })).status).toBe(200);
    expect(await current()).toMatchObject({
      details: { bank_account: { holder_name: "Somebody else" } },
      bank_account_set: { by: colleague.email },
    });
    const saved = service.context.db
      .selectFrom("audit_log")
      .select(["actor", "details"])
      .where("action", "=", "application.saved");
    const audited = await saved.where("account_id", "=", owner.accountId).orderBy("sequence").execute();
    expect(audited.map(({ actor, details }) => `${actor} ${JSON.stringify(details)}`)).toEqual([
      `login ${owner.email} {"address":"127.0.0.1","bank_account":"given"}`,
      `login ${colleague.email} {"address":"127.0.0.1"}`,
      `login ${colleague.email} {"address":"127.0.0.1","bank_account":"given"}`,
    ]);
  });

  it("requires a step-up to be submitted or decided", async () => {
    await applicationIn("draft", owner, operator);
    await expireStepUp(service, owner);
    expect(refusalOf(await submit(owner))).toBe("403 step_up_required");
    const other = await newVisitor(service);
    const id = await applicationIn("in_review", other, operator);
    const stale = await newOperator(service);
    await expireStepUp(service, stale);
    expect(refusalOf(await decide(stale, id, "approve"))).toBe("403 step_up_required");
  });
});

describe("a step", () => {
  const possible: Record<Status, readonly string[]> = {
    draft: ["save", "submit"],
    submitted: ["review"],
    in_review: ["approve", "reject", "request_information"],
    needs_information: ["save", "submit"],
    approved: [],
    rejected: ["save"],
  };
  it.each(Object.entries(possible) as [Status, readonly string[]][])(
    "is allowed from %s only if it is one of %j",
    async (status, steps) => {
      // Refused steps change nothing, so one application is enough for all of them.
      const id = await applicationIn(status, owner, operator);
      const before = await current();
      const refusal = status === "draft" ? "404 resource_missing" : "409 not_possible_now";
      for (const step of ["submit", "review", "approve", "reject", "request_information"] as const) {
        if (steps.includes(step)) continue;
        // As another operator, because the same one would retry a decision.
        expect(`${step} ${refusalOf(await take(step, owner, second, id))}`).toBe(
          `${step} ${step === "submit" ? "409 not_possible_now" : refusal}`,
        );
      }
      const isOpen = status === "draft" || status === "needs_information";
      expect(refusalOf(await upload(owner))).toBe(isOpen ? "200" : "409 not_possible_now");
      expect({ ...(await current()), documents: before?.["documents"] }).toEqual(before);
      expect(refusalOf(await save(owner))).toBe(steps.includes("save") ? "200" : "409 not_possible_now");
    },
  );

  it("can't change documents once they have been submitted", async () => {
    await save(owner);
    const id = String((await upload(owner)).body["id"]);
    expect((await submit(owner)).status).toBe(200);
    expect(refusalOf(await owner.inWorkspace("DELETE", `application/documents/${id}`))).toBe("409 not_possible_now");
    const application = String((await current())?.["id"]);
    const file = await operator.call("GET", `/operator/applications/${application}/documents/${id}`);
    expect([file.status, file.headers["content-disposition"]]).toEqual([200, `attachment; filename="${id}.pdf"`]);
    const other = await applicationIn("submitted", await newVisitor(service), operator);
    expect(refusalOf(await operator.call("GET", `/operator/applications/${other}/documents/${id}`))).toBe(
      "404 resource_missing",
    );
  });

  it("is taken by only one of several operators who decide at once, and the others get an error", async () => {
    const id = await applicationIn("in_review", owner, operator);
    const decisions = ["approve", "reject", "request_information"].flatMap((decision) =>
      [operator, second].map((by) => decide(by, id, decision, `I say ${decision}.`)),
    );
    const responses = await Promise.all(decisions);
    expect(responses.map(refusalOf).sort()).toEqual(["200", ...Array(5).fill("409 not_possible_now")]);
    const { status, history } = await seen(id);
    expect(history).toHaveLength(4);
    expect((await liveApproval()) !== null).toBe(String(status) === "approved");
    const decided = (await auditOf(service, owner.accountId)).filter((line) =>
      /approved|rejected|information/.test(line),
    );
    expect(decided).toHaveLength(1);
  });

  it("is a success for an operator who retries a decision, and nobody is notified twice", async () => {
    const id = await applicationIn("in_review", owner, operator);
    const { submitted } = await seen(id);
    const decideAs = (by: Visitor, decision: string) =>
      by.call("POST", `/operator/applications/${id}/decision`, { decision, reason: "Known.", submitted });
    const decided = await decideAs(operator, "approve");
    expect((await decideAs(operator, "approve")).body).toEqual(decided.body);
    expect(refusalOf(await decideAs(operator, "reject"))).toBe("409 not_possible_now");
    expect(refusalOf(await decideAs(second, "approve"))).toBe("409 not_possible_now");
    const approvals = (await auditOf(service, owner.accountId)).filter((line) => line.includes("approved"));
    expect(approvals).toHaveLength(1);
  });

  it("is refused if the application was submitted again after the operator viewed it", async () => {
    const id = await applicationIn("in_review", owner, operator);
    const decideOn = (submitted: unknown) =>
      operator.call("POST", `/operator/applications/${id}/decision`, { decision: "approve", submitted });
    const { submitted: checkedCount } = await seen(id);
    await decide(second, id, "request_information", "Please add a bank statement.");
    service.moveClock(1000);
    expect((await save(owner, { ...completeApplication, website: "https://other.example/shop" })).status).toBe(200);
    await submit(owner);
    await review(second, id);
    expect(refusalOf(await decideOn(checkedCount))).toBe("409 not_possible_now");
    expect(refusalOf(await decideOn(undefined))).toBe("400 parameter_missing submitted");
    expect(refusalOf(await decideOn(null))).toBe("400 parameter_invalid submitted");
    expect(await seen(id)).toMatchObject({ status: "in_review", decided: null });
    expect(await liveApproval()).toBeNull();
    expect((await decideOn((await seen(id))["submitted"])).body).toMatchObject({ status: "approved" });
  });

  it("is taken only once, both when submitting and when starting the review", async () => {
    const id = await applicationIn("draft", owner, operator);
    const seen = await submission(owner);
    const submitted = await Promise.all(
      Array.from({ length: 3 }, () => owner.inWorkspace("POST", "application/submit", seen)),
    );
    // All three requested what the first one did.
    expect(submitted.map(refusalOf)).toEqual(["200", "200", "200"]);
    const steps = (await auditOf(service, owner.accountId)).filter((line) => line.startsWith("application.submitted"));
    expect(steps).toHaveLength(1);
    const taken = await Promise.all([review(operator, id), review(operator, id)]);
    expect(taken.map(refusalOf).sort()).toEqual(["200", "409 not_possible_now"]);
  });

  it("requires a reason if it rejects the application or asks for more information", async () => {
    const id = await applicationIn("in_review", owner, operator);
    for (const decision of ["reject", "request_information"])
      expect(refusalOf(await decide(operator, id, decision))).toBe("400 parameter_missing reason");
    for (const reason of ["", " ", "x".repeat(1001), "the key oriel_sk_test_1", "a\u0000b", "gp\u202efdp"])
      expect(refusalOf(await decide(operator, id, "reject", reason))).toMatch(
        /^400 (parameter_invalid reason|body_malformed)$/,
      );
    expect(refusalOf(await decide(operator, id, "close", "x"))).toBe("400 parameter_invalid decision");
    expect((await decide(operator, id, "approve")).body).toMatchObject({ status: "approved" });
  });
});

describe("an application's fields", () => {
  it("are all required on submission, and the error names the first missing one", async () => {
    const entity = completeApplication.legal_entity ?? {};
    const [first = {}, second = {}] = completeApplication.owners ?? [];
    const cases: [object, string][] = [
      // Once it is set, leaving it out keeps it.
      [without("bank_account"), "bank_account"],
      [{}, "legal_entity"],
      [{ ...completeApplication, legal_entity: {} }, "legal_entity.name"],
      [{ ...completeApplication, legal_entity: { ...entity, address: undefined } }, "legal_entity.address"],
      ...(
        [
          "country",
          "website",
          "mcc",
          "business",
          "expected_monthly_volume",
          "average_amount",
          "largest_amount",
          "owners",
        ] as const
      ).map((name): [object, string] => [without(name), name]),
      [{ ...completeApplication, owners: [] }, "owners"],
      [{ ...completeApplication, owners: [first, { ...second, date_of_birth: undefined }] }, "owners[1].date_of_birth"],
    ];
    for (const [application, param] of cases) {
      expect((await save(owner, application)).status).toBe(200);
      expect(refusalOf(await submit(owner))).toBe(`400 parameter_missing ${param}`);
    }
    for (const [application, param] of [
      [{ ...completeApplication, average_amount: 80_001 }, "largest_amount"],
      [{ ...completeApplication, owners: [{ ...first, share_percent: 70 }, second] }, "owners"],
    ] as const) {
      expect((await save(owner, application)).status).toBe(200);
      expect(refusalOf(await submit(owner))).toBe(`400 parameter_invalid ${param}`);
    }
    expect((await save(owner)).status).toBe(200);
    expect(refusalOf(await submit(owner))).toBe("400 parameter_missing documents");
    const { id } = (await upload(owner)).body;
    await owner.inWorkspace("DELETE", `application/documents/${String(id)}`);
    expect(refusalOf(await submit(owner))).toBe("400 parameter_missing documents");
    await upload(owner);
    expect((await submit(owner)).status).toBe(200);
  });

  it.each<[string, object, string]>([
    ["an unknown country", { country: "XX" }, "parameter_invalid country"],
    ["an unknown country for an owner", { owners: [{}, { country: "ZZ" }] }, "parameter_invalid owners[1].country"],
    ["a website without TLS", { website: "http://shop.example" }, "parameter_invalid website"],
    ["a javascript: URL", { website: "javascript:alert(1)//" }, "parameter_invalid website"],
    ["a URL with a password", { website: "https://a:b@shop.example" }, "parameter_invalid website"],
    ["an internal URL", { website: "https://localhost/" }, "parameter_invalid website"],
    ["an IP address as URL", { website: "https://127.0.0.1/" }, "parameter_invalid website"],
    ["a category of three digits", { mcc: "595" }, "parameter_invalid mcc"],
    [
      "an unknown currency",
      { expected_monthly_volume: { amount: 1, currency: "xxx" } },
      "parameter_invalid expected_monthly_volume.currency",
    ],
    ["an invalid amount", { average_amount: 0.5 }, "parameter_invalid average_amount"],
    ["an invalid date", { owners: [{ date_of_birth: "1980-02-30" }] }, "parameter_invalid owners[0].date_of_birth"],
    ["a future date", { owners: [{ date_of_birth: "2099-01-01" }] }, "parameter_invalid owners[0].date_of_birth"],
    ["eleven owners", { owners: Array.from({ length: 11 }, () => ({})) }, "parameter_invalid owners"],
    ["a share of 101 percent", { owners: [{ share_percent: 101 }] }, "parameter_invalid owners[0].share_percent"],
    [
      "a mistyped IBAN",
      { bank_account: { holder_name: "A", iban: "DE89370400440532013001" } },
      "parameter_invalid bank_account.iban",
    ],
    [
      "two accounts",
      { bank_account: { holder_name: "A", iban: "DE89370400440532013000", routing_number: "021000021" } },
      "parameter_invalid bank_account",
    ],
    [
      "an account number without a bank",
      { bank_account: { holder_name: "A", account_number: "12345678" } },
      "parameter_missing bank_account.routing_number",
    ],
    [
      "an account without a holder",
      { bank_account: { iban: "DE89370400440532013000" } },
      "parameter_missing bank_account.holder_name",
    ],
    ["a name with a line break", { legal_entity: { name: "a\nb" } }, "parameter_invalid legal_entity.name"],
    ["a name with a direction override", { legal_entity: { name: "a\u202eb" } }, "parameter_invalid legal_entity.name"],
    ["a name of spaces", { legal_entity: { name: "  " } }, "parameter_invalid legal_entity.name"],
    ["a name that is too long", { legal_entity: { name: "x".repeat(201) } }, "parameter_invalid legal_entity.name"],
    ["a status", { status: "approved" }, "parameter_unknown status"],
    ["an approval", { live_approved_at: 1 }, "parameter_unknown live_approved_at"],
    ["an account", { account_id: "acct_1" }, "parameter_unknown account_id"],
    ["a nested status", { legal_entity: { status: "approved" } }, "parameter_unknown legal_entity.status"],
    ["an owner's review status", { owners: [{ verified: true }] }, "parameter_unknown owners[0].verified"],
  ])("refuse %s", async (_, application, refusal) => {
    expect(refusalOf(await save(owner, application))).toBe(`400 ${refusal}`);
    expect(await current()).toBeNull();
  });

  it("can't change the status on submission or through the URL", async () => {
    await applicationIn("draft", owner, operator);
    expect(
      refusalOf(
        await owner.inWorkspace("POST", "application/submit", { ...(await submission(owner)), status: "approved" }),
      ),
    ).toBe("400 parameter_unknown status");
    expect((await current())?.["status"]).toBe("draft");
  });

  it("are returned exactly as they were entered, except the bank account, which shows only its last digits", async () => {
    const name = `<script>alert("1")</script> 'x' = 日本語 😀 %s \${x}`;
    await save(owner, { ...completeApplication, business: `${name}\nand more`, legal_entity: { name } });
    expect((await current())?.["details"]).toMatchObject({
      legal_entity: { name },
      business: `${name}\nand more`,
      bank_account: { holder_name: "Kiln Street Pottery", kind: "iban", last4: "3000" },
    });
    expect(JSON.stringify(await current())).not.toContain("0532");
    await save(owner, {
      bank_account: { holder_name: "A", account_number: "000123456789", routing_number: "021000021" },
    });
    expect((await current())?.["details"]).toEqual({
      bank_account: { holder_name: "A", kind: "account_number", last4: "6789" },
    });
    await save(owner, {});
    expect((await current())?.["details"]).toEqual({
      bank_account: { holder_name: "A", kind: "account_number", last4: "6789" },
    });
  });

  it("appear nowhere in plain text, neither in the database nor in the log", async () => {
    await applicationIn("needs_information", owner, operator);
    const dump = await dumpDatabase(service.context.db);
    expect(dump).toContain(owner.accountId);
    for (const text of personalData) {
      expect(dump).not.toContain(text);
      expect(dump).not.toContain(Buffer.from(text).toString("hex"));
      expect(service.log.join("")).not.toContain(text);
    }
  });

  it("can be decrypted only for their own application", async () => {
    const id = await applicationIn("draft", owner, operator);
    const stranger = await newVisitor(service);
    await applicationIn("draft", stranger, operator);
    const { db } = service.context;
    const { sealed_details } = await db
      .selectFrom("application")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    await db.updateTable("application").set({ sealed_details }).where("account_no", "=", stranger.accountNo).execute();
    expect(refusalOf(await stranger.inWorkspace("GET", "application"))).toBe("500 internal_error");
  });
});

describe("the operators", () => {
  it("get one email about all applications of half an hour", async () => {
    const { db } = service.context;
    await db.deleteFrom("email").where("queue", "=", "operators").execute(); // from tests with fewer operators
    const { count } = await db
      .selectFrom("operator")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    for (const merchant of [owner, await newVisitor(service)]) await applicationIn("submitted", merchant, operator);
    const waiting = await db.selectFrom("email").select("next_try_at").where("queue", "=", "operators").execute();
    expect(waiting).toHaveLength(count);
    expect(count).toBeGreaterThan(0);
  });
});

describe("the owners", () => {
  it("are all emailed about every step, without personal data", async () => {
    const second = await newColleague(service, owner, "owner");
    const developer = await newColleague(service, owner, "developer");
    const id = await applicationIn("needs_information", owner, operator);
    await submit(owner);
    await review(operator, id);
    await decide(operator, id, "approve", "Known in the street.");
    const subjects = (to: string) => emailsTo(service, to).map((text) => /Subject: (.*)/.exec(text)?.[1] ?? "");
    const expected = [
      "Your application needs more information",
      "Your application was approved",
      "Your application is in review",
      "Your application is in review",
      "Your application was submitted",
      "Your application was submitted",
    ];
    const applicationSubjects = (to: string) =>
      subjects(to).filter((subject) => subject.startsWith("Your application"));
    for (const { email } of [owner, second]) {
      const written = await until("all emails", () => {
        const found = applicationSubjects(email);
        return found.length === expected.length ? found : null;
      });
      // In any order, because the emails are sent independently.
      expect(written.toSorted((a, b) => a.localeCompare(b))).toEqual(expected.toSorted((a, b) => a.localeCompare(b)));
    }
    expect(applicationSubjects(developer.email)).toEqual([]);
    const text = emailsTo(service, owner.email).join("\n");
    expect(text).toContain("Kiln Street's application for live payments");
    expect(text).toContain("\n\nBecause of request_information.\n\n");
    expect(text).not.toContain("Known in the street");
    for (const datum of personalData) expect(text).not.toContain(datum);
  });

  it.each([
    [false, "They don't work yet, because the operator of this service hasn't switched on live payments."],
    [true, "Its team can now create live API keys.\n\n"],
  ])("learn whether an approval is enough for live payments (live mode on: %s)", async (live, sentence) => {
    Object.assign(service.config, { live });
    await applicationIn("approved", owner, operator);
    Object.assign(service.config, { live: false });
    const email = await until(
      "the email",
      () => emailsTo(service, owner.email).find((text) => text.includes("was approved")) ?? null,
    );
    expect(email).toContain(sentence);
  });

  it("learn why it was rejected", async () => {
    await applicationIn("rejected", owner, operator);
    const email = await until(
      "the email",
      () => emailsTo(service, owner.email).find((text) => text.includes("not approved")) ?? null,
    );
    expect(email).toContain("\n\nBecause of reject.\n\n");
  });
});
