/** A merchant with a secret key and a team member who uses the dashboard. */
import type { Role } from "@oriel/protocol/dashboard/roles";
import { newVisitor, type Visitor } from "./dashboard-visitor.ts";
import { newMerchant, type Merchant } from "./merchant.ts";
import type { ApiResponse, Json, TestService } from "./test-service.ts";

export interface Workspace {
  merchant: Merchant;
  visitor: Visitor;
  /**
   * Returns a response's body, for a path under the account's test mode.
   * @throws Error for any status but 200
   */
  read(path: string): Promise<Json>;
  /** The data of a list. */
  list(path: string): Promise<Json[]>;
  post(path: string, body?: object, key?: string): Promise<ApiResponse>;
  /** The account's audit log, oldest first. */
  audited(): Promise<{ actor: string; action: string; object_id: string | null; details: Record<string, unknown> }[]>;
}

export async function newWorkspace(service: TestService, role: Role = "owner"): Promise<Workspace> {
  return await signInToWorkspace(service, await newMerchant(service), role);
}

/** Another member of a merchant's team. */
export async function signInToWorkspace(service: TestService, merchant: Merchant, role: Role): Promise<Workspace> {
  const { db, now } = service.context;
  const visitor = await newVisitor(service);
  const { id } = await db.selectFrom("login").select("id").where("email", "=", visitor.email).executeTakeFirstOrThrow();
  visitor.accountId = merchant.accountId;
  visitor.accountNo = merchant.tenant.accountNo;
  await db
    .insertInto("member")
    .values({ account_no: visitor.accountNo, login_id: id, role, created_at: now() })
    .execute();
  const workspace: Workspace = {
    merchant,
    visitor,
    async read(path) {
      const response = await visitor.inWorkspace("GET", path);
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${response.text}`);
      return response.body;
    },
    list: async (path) => (await workspace.read(path))["data"] as unknown as Json[], // a list's data is an array
    post: (path, body = {}, key) =>
      visitor.call(
        "POST",
        `/data/${visitor.accountId}/test/${path}`,
        body,
        key === undefined ? {} : { "idempotency-key": key },
      ),
    async audited() {
      const rows = db.selectFrom("audit_log").select(["actor", "action", "object_id", "details"]);
      return await rows.where("account_id", "=", visitor.accountId).orderBy("id").execute();
    },
  };
  return workspace;
}
