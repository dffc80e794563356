/**
 * `oriel listen`: webhooks for a developer whose server has no public address. It fetches the events and posts them to
 * that server, signed with a secret of its own that stays the same from run to run.
 *
 * It trusts the developer's choice of an address, and refuses live keys. What it forwards, and when it counts as done:
 * `listen/forward-events.ts`; what it remembers: `listen/listen-state.ts`. One process at a time for one state:
 * `listen/listener-lock.ts`.
 */
import { resolve } from "node:path";
import { setTimeout as pauseFor } from "node:timers/promises";
import { allEventTypes } from "@oriel/protocol/api";
import Type from "typebox";
import { OperatorError } from "../platform/operator-error.ts";
import { oneOf, usageOf, type Command, type CommandInput } from "./command.ts";
import { forwardEvents, type Outcome, type Report, type Step } from "./listen/forward-events.ts";
import { defaultStatePath, openListenState, type ListenState } from "./listen/listen-state.ts";
import { lockListener } from "./listen/listener-lock.ts";
import { postEvent, type Answered } from "./listen/post-event.ts";
import { ApiRefusal, openTestModeApi, type TestModeApi } from "./test-mode-api.ts";

export const listenCommand: Command = {
  name: "listen",
  takes: [],
  options: {
    "forward-to": { value: "URL", required: true },
    events: { value: "TYPE,..." },
    from: { value: "start|now|EVENT_ID" },
    "api-url": { value: "URL" },
    state: { value: "FILE" },
  },
  summary: "forward test events to a server without a public address, as webhooks",
  details: `In order, one at a time, each at least once.

  --forward-to  where your server takes webhooks, as in http://localhost:3000/webhook
  --events      only these types, with commas; default: every type
  --from        start: every event there is; now: what happens from now on; an event's id: what came after it.
                Default: where the last run for this key and address ended, and for the first run now
  --api-url     default: ORIEL_API_URL, or http://localhost:4000
  --state       the file with the cursor and the signing secret; default: one in ~/.config/oriel (or XDG_CONFIG_HOME)

Needs a test key in ORIEL_SECRET_KEY; live keys are refused. At its start it prints the signing secret, the same in each run: your server
verifies with it. While your server or the API is away it waits. What your server answers with 2xx is done. Other answers: until the first 2xx of
a run it waits with the same event; afterwards it tries three times more and goes on. Ctrl-C ends it, and the next run goes on from there.`,
  run: async (input) => {
    const { env, option, now } = input;
    const url = readForwardTo(option("forward-to"));
    const types = readTypes(option("events"));
    const from = readFrom(option("from"));
    const api = openTestModeApi("listen", env, option("api-url"));
    const route = { apiUrl: api.apiUrl, keyHash: api.keyHash, forwardTo: url.href };
    const path = resolve(option("state") ?? defaultStatePath(env, route));
    const lock = await lockListener(path, url.href);
    try {
      const state = openListenState(path, route, from);
      const signal = input.interruption();
      input.print(banner(api, url, types, state, path));
      const forwarding = {
        step: (after: string) => takeStep(api, after, signal),
        isWanted: (type: string) => types === null || types.includes(type),
        send: (event: Parameters<typeof postEvent>[1]) => postEvent({ url, secret: state.secret }, event, now, signal),
        keep: state.keep,
        pause: async (ms: number) => await pauseFor(ms, undefined, { signal }),
        signal,
        report: reportTo(input, api, url, state.secret),
      };
      const givenUp = await forwardEvents(forwarding, state.cursor);
      input.tell(`Stopped. ${sayGivenUp(givenUp)}The next run goes on from here.`);
    } finally {
      await lock.release();
    }
  },
};

const Walk = Type.Object({
  data: Type.Array(
    Type.Object({ id: Type.String({ pattern: "^evt_[0-9a-z]+$" }), type: Type.String({ pattern: "^[a-z_.]+$" }) }),
    {
      maxItems: 1,
    },
  ),
  cursor: Type.String({ minLength: 1, maxLength: 200 }),
});

async function takeStep(api: TestModeApi, after: string, signal: AbortSignal): Promise<Step> {
  const { data, cursor } = await api
    .get(`events?limit=1&after=${encodeURIComponent(after)}`, Walk, signal)
    .catch(placeRefused);
  const [event] = data;
  // Members that the shape does not name are still in it: these are the bytes that the service itself would send.
  return {
    event: event === undefined ? null : { id: event.id, type: event.type, body: JSON.stringify(event) },
    cursor,
  };
}

/** An event that was never there, or a database that is another now. */
function placeRefused(error: unknown): never {
  if (!(error instanceof ApiRefusal) || error.code !== "resource_missing") throw error;
  throw new OperatorError(`${error.message} Say where to begin with --from start, now or another event's id.`);
}

function sayGivenUp(count: number): string {
  if (count === 0) return "";
  const events =
    count === 1
      ? "1 event was given up; the command above has it"
      : `${count} events were given up; the commands above have them`;
  return `${events} sent again. `;
}

function readForwardTo(text: string | undefined): URL {
  if (text === undefined) throw new OperatorError(`Say \`${usageOf(listenCommand)}\`.`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== "" ||
    url.password !== "" ||
    url.hash !== ""
  ) {
    throw new OperatorError(
      "--forward-to must be an http(s) address without a user name and without #, as in http://localhost:3000/webhook.",
    );
  }
  return url;
}

function readTypes(text: string | undefined): string[] | null {
  return text === undefined ? null : text.split(",").map((type) => oneOf("events", allEventTypes, type.trim()));
}

function readFrom(text: string | undefined): string | null {
  if (text === undefined || text === "start" || text === "now" || /^evt_[0-9a-z]{1,80}$/.test(text))
    return text ?? null;
  throw new OperatorError(`--from is ${JSON.stringify(text)}; it must be start, now or the id of an event.`);
}

function banner(
  api: TestModeApi,
  url: URL,
  types: string[] | null,
  { cursor, isResumed }: ListenState,
  path: string,
): string {
  const starts: Record<string, string> = { start: "with the oldest event", now: "with what happens from now on" };
  const begins = isResumed ? "where the last run ended" : (starts[cursor] ?? `after ${cursor}`);
  return `Test events of ${api.apiUrl} go to ${url.href}
  types   ${types === null ? "every one" : types.join(", ")}
  begins  ${begins}
  state   ${path}
`;
}

function reportTo({ print, tell, now }: CommandInput, { apiUrl }: TestModeApi, url: URL, secret: string): Report {
  const time = () => now().toTimeString().slice(0, 8);
  return {
    ready: () => print(welcome(secret)),
    apiAway: (reason) => tell(`${time()}  ${reason} It is asked again until that is over.`),
    apiBack: () => tell(`${time()}  The API at ${apiUrl} is back.`),
    silent: ({ id }, reason) =>
      tell(
        `${time()}  No answer from ${url.href} (${reason}). ${id} waits, and is sent again every few seconds until there is one.`,
      ),
    answered: ({ id, type }, receipt, outcome) => {
      const { status, durationMs } = receipt;
      print(
        `${time()}  ${type.padEnd(longestType)}  ${id}  ${status}  ${durationMs} ms${whatNext(outcome)}${redirectNote(status)}`,
      );
      for (const line of explainRefusal(receipt, outcome, id, apiUrl)) tell(`          ${line}`);
    },
  };
}

/** Once the secret is in the state, and so the next run's too. */
function welcome(secret: string): string {
  return `Your server verifies them with this signing secret, which stays the same:
  ORIEL_WEBHOOK_SECRET=${secret}

Ready. Ctrl-C ends it.`;
}

const longestType = Math.max(...allEventTypes.map((type) => type.length));
const shownCharacters = 200;

function whatNext(outcome: Outcome): string {
  if (outcome.kind === "taken") return "";
  return outcome.kind === "again" ? `  again in ${outcome.pauseMs / 1000} s` : `  ${outcome.kind}`;
}

function redirectNote(status: number): string {
  return status >= 300 && status < 400 ? "  (redirects are not followed)" : "";
}

function explainRefusal({ status, text }: Answered, { kind }: Outcome, id: string, apiUrl: string): string[] {
  if (kind === "taken") return [];
  const isAboutTheSecret = /signature_mismatch|secret_invalid/.test(text) || (kind === "waits" && status === 400);
  return [
    ...(text === "" ? [] : [text.slice(0, shownCharacters).toWellFormed()]),
    ...(isAboutTheSecret ? ["Was your server started with the ORIEL_WEBHOOK_SECRET above?"] : []),
    ...(kind === "waits"
      ? [
          `Nothing was taken in this run yet, so the event is not given up: it is sent again, at most 10 s apart, until your server takes it.`,
          `To pass over it: Ctrl-C, then --from ${id}`,
        ]
      : []),
    ...(kind === "given up"
      ? [
          "To have it again:",
          `curl -X POST ${apiUrl}/api/v1/events/${id}/redeliver -H "Authorization: Bearer $ORIEL_SECRET_KEY" -H 'content-type: application/json' -d '{}'`,
        ]
      : []),
  ];
}
