/** Events over HTTP. */
import Type from "typebox";
import { eventTypes, ListQuery } from "@oriel/protocol/api";
import type { Context } from "../../context.ts";
import { listEvents, retrieveEvent } from "../../webhooks/events.ts";
import { closed } from "../params.ts";
import { listing, retrieval, type ApiInstance, type Noun } from "./describe.ts";

const event: Noun = { one: "an event", many: "Events", schema: "Event" };

const EventsQuery = Type.Object({ ...ListQuery.properties, type: Type.Optional(Type.Enum([...eventTypes])) }, closed);

export function eventRoutes(app: ApiInstance, context: Context): void {
  app.get(
    "/events",
    { schema: listing(event, EventsQuery) },
    async ({ tenant, query }) => await listEvents(context, tenant, query),
  );
  app.get(
    "/events/:id",
    { schema: retrieval(event) },
    async ({ tenant, params }) => await retrieveEvent(context, tenant, params.id),
  );
}
