/** Tests the merchant's policy for new customers: reading and changing it in the dashboard, and its effect on payments. */
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { cardNumbers } from "./setup/customer.ts";
import { expireStepUp, refusalOf } from "./setup/dashboard-errors.ts";
import { newWorkspace, signInToWorkspace, type Workspace } from "./setup/dashboard-member.ts";
import { startTestService, type Json } from "./setup/test-service.ts";

const path = "settings/new-customers";
/** The operator's default of the service below. */
const byDefault = { policy: "tokens", bucket_size: 2 };
const untouched = { applies: true, policy: null, bucket_size: 2, tokens: 2, default: byDefault };

const service = await openForTests(startTestService({ risk: "new_customers=2; ip_velocity=off; ip_tries=off" }));
let workspace: Workspace;
beforeEach(async () => {
  workspace = await newWorkspace(service);
});

const put = (policy: string | null, bucket_size: number) =>
  workspace.visitor.inWorkspace("PUT", path, { policy, bucket_size });
const tokens = async () => (await workspace.read(path))["tokens"];

/** A new customer pays with a card that isn't enrolled in 3-D Secure. @returns the payment's status */
async function pay(number: string = cardNumbers.approved): Promise<Json | undefined> {
  return (await (await workspace.merchant.checkout()).pay(number)).body["payment"]?.["status"];
}

describe("the policy for new customers", () => {
  it("is the operator's default until the merchant chooses one, for each mode", async () => {
    const live = () => workspace.visitor.call("GET", `/data/${workspace.visitor.accountId}/live/${path}`);
    expect(await workspace.read(path)).toEqual(untouched);
    const chosen = { applies: true, policy: "always_challenge", bucket_size: 30, tokens: 30, default: byDefault };
    expect((await put("always_challenge", 30)).body).toEqual(chosen);
    expect(await workspace.read(path)).toEqual(chosen);
    expect((await live()).body).toEqual(untouched);
    expect((await put(null, 30)).body).toEqual(untouched);
  });

  it("shows how many payments can still be made without a challenge", async () => {
    await pay();
    expect(await workspace.read(path)).toEqual({ ...untouched, tokens: 1 });
  });

  it.each([
    [{ policy: "never", bucket_size: 5 }, "400 parameter_invalid policy"],
    [{ policy: "tokens" }, "400 parameter_missing bucket_size"],
    [{ bucket_size: 5 }, "400 parameter_missing policy"],
    [{ policy: "tokens", bucket_size: 0 }, "400 parameter_invalid bucket_size"],
    [{ policy: "tokens", bucket_size: 10_001 }, "400 parameter_invalid bucket_size"],
    [{ policy: "tokens", bucket_size: 1.5 }, "400 parameter_invalid bucket_size"],
    [{ policy: "tokens", bucket_size: "5" }, "400 parameter_invalid bucket_size"],
    [{ policy: "tokens", bucket_size: null }, "400 parameter_invalid bucket_size"],
    [{ policy: "tokens", bucket_size: 5, tokens: 5 }, "400 parameter_unknown tokens"],
  ])("refuses %j and changes nothing", async (body, refused) => {
    expect(refusalOf(await workspace.visitor.inWorkspace("PUT", path, body))).toBe(refused);
    expect(await workspace.read(path)).toEqual(untouched);
  });

  it.each([1, 10_000])("takes a limit of %i payments", async (bucket_size) => {
    expect((await put("tokens", bucket_size)).body).toMatchObject({
      policy: "tokens",
      bucket_size,
      tokens: bucket_size,
    });
  });

  it("is changed by developers, and only read by support and read-only members", async () => {
    const developer = await signInToWorkspace(service, workspace.merchant, "developer");
    const changed = await developer.visitor.inWorkspace("PUT", path, { policy: "tokens", bucket_size: 7 });
    expect(changed.body).toMatchObject({ policy: "tokens", bucket_size: 7 });
    for (const role of ["support", "read_only"] as const) {
      const { visitor, read } = await signInToWorkspace(service, workspace.merchant, role);
      const refused = await visitor.inWorkspace("PUT", path, { policy: "never_challenge", bucket_size: 7 });
      expect(refusalOf(refused)).toBe("403 permission_missing");
      expect(await read(path)).toMatchObject({ policy: "tokens", bucket_size: 7 });
    }
  });

  it("isn't overwritten by someone who hasn't seen a colleague's change", async () => {
    const change = (policy: string, seen: object) =>
      workspace.visitor.inWorkspace("PUT", path, { policy, bucket_size: 2, seen });
    const seen = { policy: null, bucket_size: 2 };
    expect(refusalOf(await change("always_challenge", seen))).toBe("200");
    expect(refusalOf(await change("never_challenge", seen))).toBe("409 changed_meanwhile");
    expect(refusalOf(await change("always_challenge", seen))).toBe("200");
    expect((await change("never_challenge", { policy: "always_challenge", bucket_size: 2 })).body).toMatchObject({
      policy: "never_challenge",
    });
  });

  it("requires a recent step-up to change", async () => {
    await expireStepUp(service, workspace.visitor);
    expect(refusalOf(await put("never_challenge", 2))).toBe("403 step_up_required");
    expect(await workspace.read(path)).toEqual(untouched);
  });

  it("can be neither read nor changed by another account's team, and doesn't affect another account", async () => {
    const outsider = await newWorkspace(service);
    const theirs = `/data/${workspace.visitor.accountId}/test/${path}`;
    const body = { policy: "never_challenge", bucket_size: 9 };
    expect(refusalOf(await outsider.visitor.call("GET", theirs))).toBe("404 resource_missing");
    expect(refusalOf(await outsider.visitor.call("PUT", theirs, body))).toBe("404 resource_missing");
    expect((await outsider.visitor.inWorkspace("PUT", path, body)).body).toMatchObject(body);
    expect(await workspace.read(path)).toEqual(untouched);
  });

  it("is audited", async () => {
    await put("never_challenge", 9);
    await put(null, 9);
    const { email, accountId } = workspace.visitor;
    const entry = {
      actor: `login ${email}`,
      action: "account.new_customers_changed",
      object_id: accountId,
      outcome: "done",
    };
    const rows = service.context.db
      .selectFrom("audit_log")
      .select(["actor", "action", "object_id", "outcome", "details"])
      .where("account_id", "=", accountId)
      .where("action", "=", "account.new_customers_changed")
      .orderBy("id");
    expect(await rows.execute()).toEqual([
      { ...entry, details: { address: "127.0.0.1", policy: "never_challenge", bucket_size: 9, livemode: false } },
      { ...entry, details: { address: "127.0.0.1", policy: "default", bucket_size: 2, livemode: false } },
    ]);
  });
});

describe("changing the size of the bucket", () => {
  it("adds the difference to what is left", async () => {
    await pay();
    await pay();
    expect((await put("tokens", 5)).body).toMatchObject({ bucket_size: 5, tokens: 3 });
    expect((await put("tokens", 5)).body).toMatchObject({ bucket_size: 5, tokens: 3 });
  });

  it("adds no tokens when it gets smaller", async () => {
    await put("tokens", 5);
    await pay();
    expect((await put("tokens", 3)).body).toMatchObject({ bucket_size: 3, tokens: 3 });
    await pay();
    await pay();
    expect((await put("tokens", 2)).body).toMatchObject({ bucket_size: 2, tokens: 1 });
  });
});

describe("a payment by a new customer", () => {
  it("needs a challenge after as many payments as the merchant allows", async () => {
    await put("tokens", 1);
    expect(await pay()).toBe("succeeded");
    expect(await pay()).toBe("declined");
    await put("tokens", 2);
    expect(await pay()).toBe("succeeded");
    expect(await tokens()).toBe(0);
  });

  it("always needs a challenge if the merchant requires it", async () => {
    await put("always_challenge", 2);
    const checkout = await workspace.merchant.checkout();
    const { payment } = (await checkout.pay(cardNumbers.approved)).body;
    expect(payment).toMatchObject({ status: "declined" });
    expect(await workspace.merchant.read(`decisions/${String(payment?.["id"])}`)).toMatchObject({
      decline_code: "risk_rejected",
      risk: { reasons: ["new_customers"] },
    });
    expect(await tokens()).toBe(2);
  });

  it("never needs one for this reason if the merchant turned it off", async () => {
    await put("never_challenge", 1);
    for (let i = 0; i < 3; i++) expect(await pay()).toBe("succeeded");
    expect(await tokens()).toBe(1);
  });

  it("follows the operator's default again after the merchant goes back to it", async () => {
    await put("never_challenge", 2);
    await put(null, 2);
    for (const status of ["succeeded", "succeeded", "declined"]) expect(await pay()).toBe(status);
  });
});

describe("the policy without risk rules", () => {
  it("can be set only in live mode by default", async () => {
    const unset = await startTestService({ risk: "" });
    try {
      const { visitor, read } = await newWorkspace(unset);
      expect(await read(path)).toEqual({ applies: false });
      const body = { policy: "always_challenge", bucket_size: 3 };
      expect(refusalOf(await visitor.inWorkspace("PUT", path, body))).toBe("409 not_possible_now");
      const inLive = await visitor.call("PUT", `/data/${visitor.accountId}/live/${path}`, body);
      expect(inLive.body).toMatchObject({ ...body, default: { policy: "tokens", bucket_size: 40 } });
    } finally {
      await unset.close();
    }
  });

  it("can be set in neither mode if the operator turned the rules off", async () => {
    const off = await startTestService({ risk: "off" });
    try {
      const { visitor } = await newWorkspace(off);
      for (const mode of ["test", "live"]) {
        const own = `/data/${visitor.accountId}/${mode}/${path}`;
        expect((await visitor.call("GET", own)).body).toEqual({ applies: false });
        const body = { policy: "always_challenge", bucket_size: 3 };
        expect(refusalOf(await visitor.call("PUT", own, body))).toBe("409 not_possible_now");
      }
    } finally {
      await off.close();
    }
  });
});
