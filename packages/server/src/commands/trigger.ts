/**
 * `oriel trigger`: makes an event really happen in test mode, by the calls a shop would make (`trigger/happenings.ts`),
 * so that everything that follows from it follows: objects, money at the sandbox bank, webhooks. Nothing is pretended.
 * It refuses live keys, and ends when the event is there, or when it has not come within 15 seconds.
 */
import { setTimeout as pauseFor } from "node:timers/promises";
import { allEventTypes, type EventType } from "@oriel/protocol/api";
import Type from "typebox";
import { OperatorError } from "../platform/operator-error.ts";
import { table, type Command } from "./command.ts";
import { openTestModeApi, type TestModeApi } from "./test-mode-api.ts";
import { happenings } from "./trigger/happenings.ts";
import { nearestWord } from "./trigger/nearest-word.ts";

export const triggerCommand: Command = {
  name: "trigger",
  takes: [],
  mayTake: ["EVENT_TYPE"],
  options: { endpoint: { value: "ENDPOINT_ID" }, "api-url": { value: "URL" } },
  summary: "make a test event really happen; without a type: list what can be",
  details: `With a test key in ORIEL_SECRET_KEY; live keys are refused.

${listOfTypes()}

  --endpoint    which webhook endpoint is pinged
  --api-url     default: ORIEL_API_URL, or http://localhost:4000`,
  run: async ({ args: [text], option, env, print }) => {
    if (text === undefined) return print(listOfTypes());
    const type = readType(text);
    const happening = happenings[type];
    if ("instead" in happening) throw new OperatorError(`${type} cannot be triggered from here. ${happening.instead}`);
    const endpointId = readEndpointId(option("endpoint"), type);
    const api = openTestModeApi("trigger", env, option("api-url"));
    const made = (noun: string, id: string) => print(`${noun.padEnd(8)}  ${id}`);
    const happened = await happening.happen({ api, endpointId, made });
    made("event", "eventId" in happened ? happened.eventId : await findEvent(api, type, happened.objectId));
  },
};

/** How long an event may take to be there: the bank has ten seconds for its answer. */
const patienceMs = 15_000;
const pauseMs = 250;

function listOfTypes(): string {
  const rows = allEventTypes.map((type) => {
    const happening = happenings[type];
    return [`  ${type}`, "does" in happening ? happening.does : "(not from here; it says what to do instead)"];
  });
  return table(rows);
}

function readType(text: string): EventType {
  const type = allEventTypes.find((known) => known === text);
  if (type !== undefined) return type;
  const near = nearestWord(text, allEventTypes);
  const hint = near === null ? "" : ` Did you mean ${near}?`;
  throw new OperatorError(`There is no event type ${JSON.stringify(text)}.${hint} \`oriel trigger\` lists them.`);
}

function readEndpointId(id: string | undefined, type: EventType): string | undefined {
  if (id === undefined || (type === "ping" && /^we_[0-9a-z]{1,80}$/.test(id))) return id;
  throw new OperatorError("--endpoint is the id of a webhook endpoint, as in we_01j9x..., and goes with ping.");
}

const Events = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String({ pattern: "^evt_[0-9a-z]+$" }),
      data: Type.Object({ object: Type.Object({ id: Type.String() }) }),
    }),
  ),
});

async function findEvent(api: TestModeApi, type: EventType, objectId: string): Promise<string> {
  for (let waitedMs = 0; waitedMs <= patienceMs; waitedMs += pauseMs) {
    const { data } = await api.get(`events?type=${type}&limit=20`, Events);
    const event = data.find((newest) => newest.data.object.id === objectId);
    if (event !== undefined) return event.id;
    await pauseFor(pauseMs);
  }
  throw new OperatorError(
    `${type} of ${objectId} is not there yet. GET /api/v1/events?type=${type} shows it when it is.`,
  );
}
