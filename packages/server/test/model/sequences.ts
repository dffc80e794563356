/** Sequences of commands. A command that is listed more often or has more parameters is drawn more often. */
import fc from "fast-check";
import type { Command } from "./command.ts";
import * as customer from "./customer-commands.ts";
import * as merchant from "./merchant-commands.ts";
import * as world from "./world-commands.ts";

/** Valid as an index into a list of any length, and small, so that commands often use the same object. */
const index = fc.nat({ max: 8 });
const capture = fc.constantFrom("automatic", "manual", "manual");
const share = fc.constantFrom<merchant.Share[]>("none named", "one", "part", "all", "one too much");
const when = fc.constantFrom("before", "after");
/** The largest is low enough to request one more than is available. */
const amount = fc.constantFrom(2, 4900, 999_999_999_998);
const isKeyed = fc.boolean();
const options = fc.record({
  mode: fc.constantFrom("payment", "payment", "payment", "setup"),
  captureMethod: capture,
  confirmation: fc.constantFrom("automatic", "automatic", "server"),
  saves: fc.boolean(),
  isFree: fc.constantFrom(false, false, false, true),
});
/** Durations in seconds that change nothing, release a claim, expire a decision, or expire a session. */
const time = fc.constantFrom(1_001, 6_000, 31_000, 16 * 60_000, 61 * 60_000);

/** Mostly a card that is approved. */
const card = fc.constantFrom(0, 1, 0, 1, 2, 3, 4, 5);
const buy = fc.tuple(card, amount, capture, isKeyed).map((all) => merchant.buy(...all));
const shop = fc.tuple(options, index).map((all) => customer.shop(...all));
const take = fc.tuple(index, share, isKeyed).map((all) => merchant.capture(...all));
const giveBack = fc.tuple(index, share, isKeyed).map((all) => merchant.refund(...all));
const silence = fc.tuple(when, fc.constantFrom(false, false, true)).map((all) => world.silence(...all));

const all: fc.Arbitrary<Command>[] = [
  buy,
  buy,
  shop,
  shop,
  shop,
  take,
  take,
  take,
  giveBack,
  giveBack,
  giveBack,
  silence,
  fc.tuple(index, amount).map((all) => merchant.decide(...all)),
  fc.tuple(index, share, fc.option(capture), isKeyed).map((all) => merchant.charge(...all)),
  fc.tuple(index, isKeyed).map((all) => merchant.cancel(...all)),
  fc.tuple(index, isKeyed).map((all) => merchant.cancel(...all)),
  index.map(merchant.repeat),
  index.map(merchant.repeat),
  index.map(merchant.repeatChanged),
  options.map(customer.open),
  fc.tuple(index, index).map((all) => customer.pay(...all)),
  fc.tuple(index, index).map((all) => customer.pay(...all)),
  index.map(customer.complete),
  index.map(customer.authenticate),
  index.map(customer.authenticate),
  fc.tuple(index, fc.boolean()).map((all) => customer.endChallenge(...all)),
  fc.tuple(index, fc.boolean()).map((all) => customer.endChallenge(...all)),
  index.map(customer.giveUp),
  fc.tuple(index, fc.constantFrom("expired", "canceled")).map((all) => customer.endSession(...all)),
  index.map(customer.detach),
  fc.constant(world.recoverBank()),
  when.map(world.die),
  time.map(world.later),
  time.map(world.later),
  fc.constant(world.work()),
  fc.constant(world.work()),
  fc.tuple(fc.constantFrom("charge", "refund", "session", "decision"), index).map((all) => world.read(...all)),
  fc.constant(world.audit()),
];

export const sequences = fc.commands(all, { maxCommands: 40, size: "max" });
