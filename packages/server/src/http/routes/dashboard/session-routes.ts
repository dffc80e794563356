/**
 * `/auth`, for the pages of signed-in users: who the user is, and reports that the user is active. No one can guess
 * anything here, so these requests don't count against the IP address's limit on attempts, only against the user's.
 * Otherwise, a few dozen active people behind one address would keep everyone there from signing in.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Me } from "@oriel/protocol/dashboard/sign-in";
import { membershipsOf } from "../../../merchants/members/members.ts";
import type { Context } from "../../context.ts";
import { headersOf } from "./guard.ts";
import { catchApiError, relay } from "./sign-in-records.ts";

const inside = { config: { needs: "session" } } as const;

export function sessionRoutes({ auth, db, config }: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post("/auth/activity", inside, async (request, reply) => {
      relay(reply, await catchApiError(auth.api.extendSession({ headers: headersOf(request), asResponse: true })));
      return { status: "extended" };
    });

    app.get("/auth/me", inside, async ({ visitor }): Promise<Me> => ({
      login: {
        id: visitor.loginId,
        name: visitor.name,
        email: visitor.email,
        has_second_factor: visitor.hasSecondFactor,
      },
      memberships: visitor.hasSecondFactor ? await membershipsOf(db, visitor.loginId) : [],
      is_operator: visitor.isOperator,
      live: config.live,
      checkout_origin: config.checkoutOrigin,
      api_url: config.apiUrl,
    }));
  };
}
