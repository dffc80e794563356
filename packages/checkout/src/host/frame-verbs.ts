/**
 * The requests (verbs) that the host page may send to the iframe. The record is flat, frozen and has no prototype, so
 * that no name reaches anything else.
 *
 * Every argument is validated before it is used. Calls with an invalid argument are refused, as are calls beyond twenty
 * per second. The code that carries out a request decides whether it is allowed at the moment: the session may not let
 * the host page submit, for example, or the form may be locked.
 */
import { fieldNames } from "@oriel/protocol/frame-settings";
import type { FieldName } from "@oriel/protocol/frame-settings";
import { readAvailableSpace } from "@oriel/protocol/windows";
import type { FrameVerbs, AvailableSpace } from "@oriel/protocol/windows";

/** The verbs, with validated arguments. `update` validates its own, setting by setting. */
export interface HostOrders extends Omit<FrameVerbs, "room" | "focus"> {
  room(room: AvailableSpace): void;
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
      const room = readAvailableSpace(size);
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
    refresh: limited(() => orders.refresh()),
    cancelChallenge: limited(() => orders.cancelChallenge()),
    report: limited(() => orders.report()),
    destroy: limited(() => orders.destroy()),
  };
  return Object.freeze(Object.assign(Object.create(null) as object, verbs));
}
