/**
 * Reads the event feed (`GET /events?after=`) while events are created. Its only state is its position: the response's
 * cursor or the last event's ID.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Event, EventWalk } from "@oriel/protocol/api";
import type { Chance } from "../chance.ts";
import type { Sender } from "./send.ts";

export interface FeedReader {
  name: string;
  /** In the order in which they were received. */
  events: Event[];
  pages: number;
  wrong: string[];
  /** Reads to the end of the feed and stops. */
  finish(): Promise<void>;
}

export interface ReaderPlan {
  name: string;
  limit: number;
  resumesFrom: "cursor" | "event id";
}

/** Starts at the beginning of the feed. */
export function startReader({ name, limit, resumesFrom }: ReaderPlan, sender: Sender, chance: Chance): FeedReader {
  let isLastLap = false;
  const reader: FeedReader = {
    name,
    events: [],
    pages: 0,
    wrong: [],
    async finish() {
      isLastLap = true;
      await reading;
    },
  };
  const reading = goOn().catch(
    (error: unknown) => void reader.wrong.push(`the feed reader "${name}" failed with ${String(error)}`),
  );
  return reader;

  async function goOn(): Promise<void> {
    for (let after = "start"; ;) {
      const wasLastLap = isLastLap;
      const path = `/api/v1/events?after=${encodeURIComponent(after)}&limit=${limit}`;
      const { status, text } = await sender.repeat({ surface: "api", method: "GET", path, about: name }, chance);
      if (status !== 200) throw new Error(`${status} ${text}`);
      const page = JSON.parse(text) as EventWalk;
      reader.pages += 1;
      reader.events.push(...page.data);
      after = resumesFrom === "cursor" ? page.cursor : (page.data.at(-1)?.id ?? after);
      if (page.has_more) continue;
      if (wasLastLap && page.data.length === 0) return;
      await pause(chance.between(5, 150));
    }
  }
}
