/** `/auth/passkeys`: register a passkey, sign in and step up with one. See `merchants/sign-in/passkeys.ts`. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { AddPasskey, ProvePassword, UsePasskey, type SignedIn } from "@oriel/protocol/dashboard/sign-in";
import { knownDeviceCookie } from "../../../merchants/sign-in/known-device.ts";
import {
  addPasskey,
  authenticationOptions,
  provePasskey,
  registrationOptions,
  removePasskey,
} from "../../../merchants/sign-in/passkeys.ts";
import { missingInPath } from "../../../platform/errors.ts";
import type { Context } from "../../context.ts";
import { ById } from "../params.ts";
import { DashboardError } from "./errors.ts";
import { headersOf } from "./guard.ts";
import { lastSecondFactor, notForOperators, relay, signInRecords } from "./sign-in-records.ts";

export function passkeyRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { auth, db, now } = context;
  const { recordAction, recordSecondFactor, notifyOfChange, provePassword } = signInRecords(context);

  return async (app) => {
    const open = { config: { needs: "nothing" } } as const;
    const withStepUp = { config: { needs: "session", stepUp: true } } as const;

    app.post(
      "/auth/passkeys/registration",
      { ...withStepUp, schema: { body: ProvePassword } },
      async ({ visitor, body }) => {
        if (visitor.isOperator) throw notForOperators();
        await provePassword(visitor, body.password);
        return await registrationOptions(context, visitor);
      },
    );

    app.post("/auth/passkeys", { ...withStepUp, schema: { body: AddPasskey } }, async (request) => {
      if (request.visitor.isOperator) throw notForOperators();
      if (!(await addPasskey(context, request.visitor, request.body))) throw passkeyInvalid();
      // This session has now used a passkey. Sessions that were opened with only the password are no longer valid.
      const session = db.updateTable("login_session").where("id", "=", request.visitor.sessionId);
      if (!request.visitor.hasSecondFactor) await session.set({ stepped_up_at: now() }).execute();
      await notifyOfChange(request, "login.second_factor_added", "a passkey was added");
      return { status: "added" };
    });

    app.post(
      "/auth/passkeys/:id/remove",
      { ...withStepUp, schema: { params: ById, body: ProvePassword } },
      async (request) => {
        await provePassword(request.visitor, request.body.password);
        const outcome = await removePasskey(db, request.visitor, request.params.id);
        if (outcome === "missing") throw missingInPath("passkey", request.params.id);
        if (outcome === "last") throw lastSecondFactor();
        await notifyOfChange(request, "login.second_factor_removed", "a passkey was removed");
        return { status: "removed" };
      },
    );

    app.post("/auth/passkeys/authentication", open, () => authenticationOptions(context, null));

    app.post(
      "/auth/passkeys/sign-in",
      { ...open, schema: { body: UsePasskey } },
      async (request, reply): Promise<SignedIn> => {
        const login = await provePasskey(context, null, request.body.response);
        if (login === null) throw passkeyInvalid();
        const response = await auth.api.openSession({
          body: { loginId: login.loginId },
          headers: headersOf(request),
          asResponse: true,
        });
        relay(reply, response);
        await recordSecondFactor(response);
        void reply.header("set-cookie", knownDeviceCookie(context, login.email));
        await recordAction("login.signed_in", login.email);
        return { status: "signed_in" };
      },
    );

    app.post("/auth/step-up/passkey-options", { config: { needs: "session" } }, ({ visitor }) =>
      authenticationOptions(context, visitor),
    );

    app.post(
      "/auth/step-up/passkey",
      { config: { needs: "session" }, schema: { body: UsePasskey } },
      async ({ visitor, body }) => {
        if ((await provePasskey(context, visitor, body.response)) === null) throw passkeyInvalid();
        await db
          .updateTable("login_session")
          .set({ stepped_up_at: now() })
          .where("id", "=", visitor.sessionId)
          .execute();
        return { status: "stepped_up" };
      },
    );
  };
}

function passkeyInvalid(): DashboardError {
  return new DashboardError("code_invalid", "This passkey isn't registered here, or the request timed out. Try again.");
}
