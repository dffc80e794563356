/**
 * What the host page may ask of the frame, as the record that the line serves: flat, frozen and without a prototype, so
 * that no name finds more than what stands here.
 *
 * Every argument is read before it is used; one that cannot be read is refused, and so is every call above twenty a
 * second. Whether an order may be followed just now (a session that lets nobody else submit, a form that is held) is
 * decided by who carries it out.
 */
import { fieldNames } from "@oriel/protocol/frame-settings";
import type { FieldName } from "@oriel/protocol/frame-settings";
import { readRoom } from "@oriel/protocol/windows";
import type { FrameVerbs, Room } from "@oriel/protocol/windows";

/** The verbs, with what could be read of their arguments. `update` reads its own, piece by piece. */
export interface HostOrders extends Omit<FrameVerbs, "room" | "focus"> {
  room(room: Room): void;
  focus(field?: FieldName): void;
}

const callsPerSecond = 20;

export function frameVerbs(orders: HostOrders, now: () => number): { [K in keyof FrameVerbs]: FrameVerbs[K] } {
  let second = 0;
  let calls = 0;
  const limited =
    <Answer>(run: (argument: unknown) => Answer) =>
    (argument?: unknown): Answer => {
      const current = Math.floor(now() / 1000);
      calls = current === second ? calls + 1 : 1;
      second = current;
      if (calls > callsPerSecond) throw new Error("too many calls");
      return run(argument);
    };
  const verbs: FrameVerbs = {
    room: limited((size) => {
      const room = readRoom(size);
      if (!room) throw new Error("no room");
      orders.room(room);
    }),
    update: limited((settings) => orders.update(settings)),
    focus: limited((name) => {
      const field = fieldNames.find((known) => known === name);
      if (name !== field) throw new Error("no such field");
      orders.focus(field);
    }),
    blur: limited(() => orders.blur()),
    clear: limited(() => orders.clear()),
    validate: limited(() => orders.validate()),
    submit: limited(() => orders.submit()),
    cancelChallenge: limited(() => orders.cancelChallenge()),
    report: limited(() => orders.report()),
    destroy: limited(() => orders.destroy()),
  };
  return Object.freeze(Object.assign(Object.create(null) as object, verbs));
}
