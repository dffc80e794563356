/**
 * Reads the event feed (`GET /events?after=`) while events are created. Its only state is its position: the response's
 * cursor or the last event's ID.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Event, EventWalk } from "@oriel/protocol/api";
import type { Chance } from "../chance.ts";
import type { Sender } from "./send.ts";

export interface Walk {
  name: string;
  /** In the order in which they were received. */
  events: Event[];
  pages: number;
  wrong: string[];
  /** Reads to the end of the feed and stops. */
  finish(): Promise<void>;
}

export interface WalkPlan {
  name: string;
  limit: number;
  keeps: "cursor" | "event id";
}

/** Starts at the beginning of the feed. */
export function startWalk({ name, limit, keeps }: WalkPlan, sender: Sender, chance: Chance): Walk {
  let isLastLap = false;
  const walk: Walk = {
    name,
    events: [],
    pages: 0,
    wrong: [],
    async finish() {
      isLastLap = true;
      await walking;
    },
  };
  const walking = goOn().catch(
    (error: unknown) => void walk.wrong.push(`the feed reader "${name}" failed with ${String(error)}`),
  );
  return walk;

  async function goOn(): Promise<void> {
    for (let after = "start"; ;) {
      const wasLastLap = isLastLap;
      const path = `/api/v1/events?after=${encodeURIComponent(after)}&limit=${limit}`;
      const { status, text } = await sender.repeat({ surface: "api", method: "GET", path, about: name }, chance);
      if (status !== 200) throw new Error(`${status} ${text}`);
      const page = JSON.parse(text) as EventWalk;
      walk.pages += 1;
      walk.events.push(...page.data);
      after = keeps === "cursor" ? page.cursor : (page.data.at(-1)?.id ?? after);
      if (page.has_more) continue;
      if (wasLastLap && page.data.length === 0) return;
      await pause(chance.between(5, 150));
    }
  }
}
