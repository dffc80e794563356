/** Events over HTTP. */
import Type from "typebox";
import { allEventTypes, ListQuery, RedeliverEvent } from "@oriel/protocol/api";
import type { Context } from "../../context.ts";
import { ApiError } from "../../../platform/errors.ts";
import { listEvents, retrieveEvent } from "../../../webhooks/events.ts";
import { redeliverEvent } from "../../../webhooks/redeliver.ts";
import { walkEvents } from "../../../webhooks/walk-events.ts";
import { inOneTransaction, type IdempotentHooks } from "../idempotent-post.ts";
import { closed } from "../params.ts";
import { action, listing, retrieval, type ApiInstance, type Noun } from "./describe.ts";

const event: Noun = { one: "an event", many: "Events", schema: "Event" };

const EventsQuery = Type.Object(
  {
    ...ListQuery.properties,
    type: Type.Optional(Type.Enum([...allEventTypes])),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          "Walks the events, oldest first, instead of listing them: `start`, `now`, an event's id, or the `cursor` of the answer before.",
      }),
    ),
  },
  closed,
);

const cursor = Type.Optional(
  Type.String({ description: "With `after` only: what to send as `after` next, also when there was nothing." }),
);

const walkDescription =
  "Lists the newest first. With `after` it walks instead, oldest first: begin with `after=start` or `after=now`, keep the `cursor` of each answer, and send it as `after` next. Nothing that commits later comes before a cursor, so nothing is missed.";

export function eventRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  const schema = {
    ...listing(event, EventsQuery, { cursor }),
    summary: "List or walk events",
    description: walkDescription,
  };
  app.get("/events", { schema }, async ({ tenant, query }) => {
    const { after, ...page } = query;
    if (after === undefined) return await listEvents(context, tenant, page);
    const [other] = (["starting_after", "ending_before"] as const).filter((name) => page[name] !== undefined);
    if (other === undefined) return await walkEvents(context, tenant, { ...page, after });
    throw new ApiError("parameter_invalid", `Send \`after\` or \`${other}\`, not both.`, { param: other });
  });
  app.get(
    "/events/:id",
    { schema: retrieval(event) },
    async ({ tenant, params }) => await retrieveEvent(context, tenant, params.id),
  );
  app.post(
    "/events/:id/redeliver",
    {
      ...idempotent,
      schema: action(
        event,
        "Redeliver",
        RedeliverEvent,
        "Sends it once more: to one endpoint, or to every one that wants it, and to whoever walks the events.",
        "Redelivery",
      ),
    },
    async (request, reply) => {
      const { tenant, params, body } = request;
      return await inOneTransaction(context, request, reply, (tx) =>
        redeliverEvent(context, tx, tenant, params.id, body),
      );
    },
  );
}
