/**
 * `oriel listen` delivers webhooks to a developer's server that has no public URL. It fetches events from the API and
 * posts them to that server, signed with a secret that stays the same from run to run.
 *
 * It posts to any URL that the developer names, and refuses live keys. `listen/forward-events.ts` decides what to
 * forward and when an event counts as delivered, `listen/listen-state.ts` stores the progress, and
 * `listen/listener-lock.ts` allows one process per state file.
 */
import { resolve } from "node:path";
import { setTimeout as pauseFor } from "node:timers/promises";
import Type from "typebox";
import { oneOf, usageOf, type Command, type CommandInput } from "@oriel/commands";
import { OperatorError } from "@oriel/commands/operator-error";
import { allEventTypes } from "@oriel/protocol/api";
import { forwardEvents, type Outcome, type Report, type Step } from "./listen/forward-events.ts";
import { defaultStatePath, openListenState, type ListenState } from "./listen/listen-state.ts";
import { lockListener } from "./listen/listener-lock.ts";
import { postEvent, type Responded } from "./listen/post-event.ts";
import { ApiRefusal, openTestModeApi, type TestModeApi } from "./test-mode-api.ts";

export const listenCommand: Command = {
  name: "listen",
  takes: [],
  options: {
    "forward-to": { value: "URL", required: true },
    events: { value: "TYPE,..." },
    from: { value: "start|now|POSITION" },
    "api-url": { value: "URL" },
    state: { value: "FILE" },
  },
  summary: "Forward test events to your local server as webhooks",
  details: `Delivers events in order, one at a time. An event can be delivered more than once.

Options
  --forward-to  URL of your webhook handler, such as http://localhost:3000/webhook
  --events      comma-separated event types (default: all)
  --from        start (all events), now (new events only), or the events after an event ID or a position that this
                command has printed (default: where the last run stopped, or now on the first run)
  --api-url     URL of the API (default: ORIEL_API_URL, or http://localhost:4000)
  --state       file for the position and the signing secret (default: a file in ~/.config/oriel or XDG_CONFIG_HOME)

Set ORIEL_SECRET_KEY to a test key. Live keys aren't accepted. The command prints the signing secret that your server
needs to verify events. The secret is the same in every run. An event is delivered when your server returns a 2xx
status. Until the first 2xx status of a run, the command retries each event until it's delivered. After that, it
retries an event three times and then skips it. If your server or the API is unreachable, the command waits. Press
Ctrl-C to stop. The next run continues where this run stopped.`,
  run: async (input) => {
    const { env, option, now } = input;
    const url = readForwardTo(option("forward-to"));
    const types = readTypes(option("events"));
    const from = readFrom(option("from"));
    const api = openTestModeApi("listen", env, option("api-url"));
    const route = { apiUrl: api.apiUrl, keyHash: api.keyHash, forwardTo: url.href };
    const path = resolve(option("state") ?? defaultStatePath(env, route));
    const lock = await lockListener(path);
    try {
      const state = openListenState(path, route, from);
      const signal = input.interruption();
      let isSaved = false;
      input.print(banner(api, url, types, state, path));
      const forwarding = {
        step: (after: string) => takeStep(api, after, signal),
        isWanted: (type: string) => types === null || types.includes(type),
        send: (event: Parameters<typeof postEvent>[1]) => postEvent({ url, secret: state.secret }, event, now, signal),
        save: (cursor: string) => {
          state.save(cursor);
          isSaved = true;
        },
        pause: async (ms: number) => await pauseFor(ms, undefined, { signal }),
        signal,
        report: reportTo(input, api, url, state.secret),
      };
      const skipped = await forwardEvents(forwarding, state.cursor);
      const next = isSaved ? "The next run continues from here." : "The API didn't respond, so nothing was saved.";
      input.log(`Stopped. ${describeSkipped(skipped)}${next}`);
    } finally {
      await lock.release();
    }
  },
};

const EventFeed = Type.Object({
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
    .get(`events?limit=1&after=${encodeURIComponent(after)}`, EventFeed, signal)
    .catch(throwUnknownPosition);
  const [event] = data;
  // Fields that the schema doesn't name are kept, so these are the bytes that the service would send itself.
  return {
    event: event === undefined ? null : { id: event.id, type: event.type, body: JSON.stringify(event) },
    cursor,
  };
}

/** The event never existed, or the database has been replaced or restored. */
function throwUnknownPosition(error: unknown): never {
  const isPosition =
    error instanceof ApiRefusal && ["resource_missing", "parameter_invalid"].includes(error.code ?? "");
  if (!isPosition) throw error;
  throw new OperatorError(`${error.message} Choose where to start with --from: start, now or another event ID.`);
}

function describeSkipped(count: number): string {
  if (count === 0) return "";
  return count === 1
    ? "1 event was skipped. Use the command above to resend it. "
    : `${count} events were skipped. Use the commands above to resend them. `;
}

function readForwardTo(text: string | undefined): URL {
  if (text === undefined)
    throw new OperatorError(`--forward-to is required. Usage: ${usageOf("oriel", listenCommand)}`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== "" ||
    url.password !== "" ||
    url.hash !== ""
  ) {
    throw new OperatorError(
      "--forward-to must be an http(s) URL without credentials or a fragment, such as http://localhost:3000/webhook.",
    );
  }
  return url;
}

function readTypes(text: string | undefined): string[] | null {
  return text === undefined ? null : text.split(",").map((type) => oneOf("events", allEventTypes, type.trim()));
}

function readFrom(text: string | undefined): string | null {
  if (text === undefined || /^(start|now|([0-9]{1,15}-)?evt_[0-9a-z]{1,80})$/.test(text)) return text ?? null;
  throw new OperatorError(
    `--from is ${JSON.stringify(text)}, but it must be start, now, an event ID, or a position that \`oriel listen\` has printed.`,
  );
}

function banner(
  api: TestModeApi,
  url: URL,
  types: string[] | null,
  { cursor, isResumed }: ListenState,
  path: string,
): string {
  const starts: Record<string, string> = { start: "with the oldest event", now: "with new events" };
  const begins = isResumed ? "where the last run stopped" : (starts[cursor] ?? `after ${cursor}`);
  return `Forwarding test events from ${api.apiUrl} to ${url.href}
  types   ${types === null ? "all" : types.join(", ")}
  starts  ${begins}
  state   ${path}
`;
}

function reportTo({ print, log, now }: CommandInput, { apiUrl }: TestModeApi, url: URL, secret: string): Report {
  const time = () => now().toTimeString().slice(0, 8);
  return {
    ready: () => print(welcome(secret)),
    apiUnavailable: (reason) => log(`${time()}  ${reason} Retrying until it responds.`),
    apiBack: () => log(`${time()}  The API at ${apiUrl} is responding again.`),
    silent: ({ id }, reason) =>
      log(`${time()}  No response from ${url.href} (${reason}). Retrying ${id} every few seconds.`),
    responded: ({ id, type }, receipt, outcome) => {
      const { status, durationMs } = receipt;
      print(
        `${time()}  ${type.padEnd(longestType)}  ${id}  ${status}  ${durationMs} ms${whatNext(outcome)}${redirectNote(status)}`,
      );
      for (const line of explainRefusal(receipt, outcome, id, apiUrl)) log(`          ${line}`);
    },
  };
}

/** Printed after the state is saved, so that the next run has the same secret. */
function welcome(secret: string): string {
  return `Verify the events with this signing secret, which stays the same in every run:
  ORIEL_WEBHOOK_SECRET=${secret}

Ready. Press Ctrl-C to stop.`;
}

const longestType = Math.max(...allEventTypes.map((type) => type.length));
const shownCharacters = 200;

const outcomeLabels = { waits: "retrying", skipped: "skipped" };

function whatNext(outcome: Outcome): string {
  if (outcome.kind === "accepted") return "";
  return outcome.kind === "again" ? `  retrying in ${outcome.pauseMs / 1000} s` : `  ${outcomeLabels[outcome.kind]}`;
}

function redirectNote(status: number): string {
  return status >= 300 && status < 400 ? "  (redirects aren't followed)" : "";
}

function explainRefusal({ status, text }: Responded, outcome: Outcome, id: string, apiUrl: string): string[] {
  const { kind } = outcome;
  if (kind === "accepted") return [];
  const isAboutTheSecret = /signature_mismatch|secret_invalid/.test(text) || (kind === "waits" && status === 400);
  return [
    ...(text === "" ? [] : [text.slice(0, shownCharacters).toWellFormed()]),
    ...(isAboutTheSecret ? ["Does your server use the ORIEL_WEBHOOK_SECRET above?"] : []),
    ...(outcome.kind === "waits"
      ? [
          "Your server hasn't accepted any event in this run yet, so this event is retried at least every 10 s until it does.",
          `To skip this event, press Ctrl-C and start again with --from ${outcome.nextCursor}`,
        ]
      : []),
    ...(kind === "skipped"
      ? [
          "To resend this event:",
          `curl -X POST ${apiUrl}/api/v1/events/${id}/redeliver -H "Authorization: Bearer $ORIEL_SECRET_KEY" -H 'content-type: application/json' -d '{}'`,
        ]
      : []),
  ];
}
