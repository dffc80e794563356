/**
 * `oriel trigger` makes an event happen in test mode by making the same API calls as a shop (`trigger/triggers.ts`).
 * Objects, payments at the sandbox bank and webhooks are all real. It refuses live keys. It ends when the event exists.
 * After 30 seconds it repeats no request, but it still sends the remaining ones once, so a slow API isn't a failure.
 */
import { setTimeout as pauseFor } from "node:timers/promises";
import Type from "typebox";
import { table, type Command } from "@oriel/commands";
import { nearestWord } from "@oriel/commands/nearest-word";
import { OperatorError } from "@oriel/commands/operator-error";
import { allEventTypes, type EventType } from "@oriel/protocol/api";
import { ApiUnavailable, openTestModeApi, type Deadline, type TestModeApi } from "./test-mode-api.ts";
import { eventTriggers } from "./trigger/triggers.ts";

export const triggerCommand: Command = {
  name: "trigger",
  takes: [],
  mayTake: ["EVENT_TYPE"],
  options: { endpoint: { value: "ENDPOINT_ID" }, "api-url": { value: "URL" } },
  summary: "Trigger a test event",
  details: `Set ORIEL_SECRET_KEY to a test key. Live keys aren't accepted. Without EVENT_TYPE, the command lists the event types.

Event types
${listOfTypes()}

Options
  --endpoint  ID of the webhook endpoint to ping (default: the newest enabled endpoint)
  --api-url   URL of the API (default: ORIEL_API_URL, or http://localhost:4000)`,
  run: async ({ args: [text], option, env, now, print }) => {
    if (text === undefined) return print(listOfTypes());
    const type = readType(text);
    const happening = eventTriggers[type];
    if ("instead" in happening)
      throw new OperatorError(`${type} can't be triggered by this command. ${happening.instead}`);
    const endpointId = readEndpointId(option("endpoint"), type);
    const until = now().getTime() + timeoutMs;
    const deadline: Deadline = {
      remainingMs: () => until - now().getTime(),
      pause: async (ms) => await pauseFor(ms),
    };
    const api = openTestModeApi("trigger", env, option("api-url"), deadline);
    const made = (noun: string, id: string) => print(`${noun.padEnd(8)}  ${id}`);
    const trigger = async () => {
      const happened = await happening.happen({ api, endpointId, made });
      return "eventId" in happened ? happened.eventId : await findEvent(api, type, happened.objectId, deadline);
    };
    const eventId = await trigger().catch((error: unknown) => {
      throw error instanceof ApiUnavailable && error.hasResponded ? unfinished(type, error) : error;
    });
    made("event", eventId);
  },
};

/** How long to repeat requests and wait for the event. The acquirer may take more than ten seconds to respond. */
const timeoutMs = 30_000;
const pauseMs = 250;

/** The API's own advice is to repeat the request with its idempotency key, which only this process knows. */
function unfinished(type: EventType, { message }: ApiUnavailable): OperatorError {
  return new OperatorError(
    `The request wasn't completed within ${timeoutMs / 1000} s. If the event still happens, GET /api/v1/events?type=${type} lists it. You can also run the command again. ${message}`,
  );
}

function listOfTypes(): string {
  const rows = allEventTypes.map((type) => {
    const happening = eventTriggers[type];
    return [`  ${type}`, "does" in happening ? happening.does : "(prints how to trigger it yourself)"];
  });
  return table(rows);
}

function readType(text: string): EventType {
  const type = allEventTypes.find((known) => known === text);
  if (type !== undefined) return type;
  const near = nearestWord(text, allEventTypes);
  const hint = near === null ? "" : ` Did you mean ${near}?`;
  throw new OperatorError(`Unknown event type ${JSON.stringify(text)}.${hint} Run \`oriel trigger\` for a list.`);
}

function readEndpointId(id: string | undefined, type: EventType): string | undefined {
  if (id === undefined || (type === "ping" && /^we_[0-9a-z]{1,80}$/.test(id))) return id;
  throw new OperatorError(
    "--endpoint must be the ID of a webhook endpoint, such as we_01j9x..., and is only for ping.",
  );
}

const Events = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String({ pattern: "^evt_[0-9a-z]+$" }),
      data: Type.Object({ object: Type.Object({ id: Type.String() }) }),
    }),
  ),
});

/** @throws OperatorError if there's no event in time */
export async function findEvent(
  api: Pick<TestModeApi, "get">,
  type: EventType,
  objectId: string,
  { remainingMs, pause }: Deadline,
): Promise<string> {
  do {
    const { data } = await api.get(`events?type=${type}&limit=20`, Events);
    const event = data.find((newest) => newest.data.object.id === objectId);
    if (event !== undefined) return event.id;
    await pause(pauseMs);
  } while (remainingMs() > 0);
  throw new OperatorError(
    `There's no ${type} event for ${objectId} yet. Check GET /api/v1/events?type=${type} in a moment.`,
  );
}
