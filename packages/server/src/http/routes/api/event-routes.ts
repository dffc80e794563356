/** `/api/v1/events`. */
import Type from "typebox";
import { allEventTypes, RedeliverEvent } from "@oriel/protocol/api";
import { listQuery } from "@oriel/protocol/shapes";
import { ApiError } from "../../../platform/errors.ts";
import { listFeed } from "../../../webhooks/event-feed.ts";
import { listEvents, retrieveEvent } from "../../../webhooks/events.ts";
import { redeliverEvent } from "../../../webhooks/redeliver.ts";
import type { Context } from "../../context.ts";
import { inOneTransaction, type IdempotentHooks } from "../idempotent-post.ts";
import { closed } from "../params.ts";
import { action, listing, retrieval, type ApiInstance, type Noun } from "./describe.ts";

const event: Noun = { one: "an event", many: "Events", schema: "Event" };

const EventsQuery = Type.Object(
  {
    ...listQuery("evt").properties,
    type: Type.Optional(Type.Enum([...allEventTypes])),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          "Reads the event feed from oldest to newest instead of listing events. Send `start`, `now`, an event's ID, or the `cursor` of the previous response.",
      }),
    ),
  },
  closed,
);

const cursor = Type.Optional(
  Type.String({
    description:
      "The value to send as `after` in the next request. Returned for every request with `after`, even if there are no new events.",
  }),
);

const feedDescription =
  "Lists events, newest first. With `after`, reads the event feed instead, oldest first. Start with `after=start` or `after=now`, store the `cursor` of each response, and send it as `after` in the next request. New events never appear before a cursor, so you don't miss any.";

export function eventRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  const schema = {
    ...listing(event, EventsQuery, { cursor }),
    summary: "List events or read the event feed",
    description: feedDescription,
  };
  app.get("/events", { schema }, async ({ tenant, query }) => {
    const { after, ...page } = query;
    if (after === undefined) return await listEvents(context, tenant, page);
    const [other] = (["starting_after", "ending_before"] as const).filter((name) => page[name] !== undefined);
    if (other === undefined) return await listFeed(context, tenant, { ...page, after });
    throw new ApiError("parameter_invalid", `Send either \`after\` or \`${other}\`, not both.`, { param: other });
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
        "Sends the event again to one endpoint, or to every endpoint that subscribes to its type. If you don't choose an endpoint, the event also appears in the event feed again.",
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
