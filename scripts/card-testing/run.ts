/** Runs one attack against one shop for a week of virtual time, and counts what the attacker learns and what customers notice. */
import { updateBuckets } from "../../packages/server/src/payments/risk/bucket.ts";
import { forgetTries } from "../../packages/server/src/payments/risk/card-attempts.ts";
import { ownedBy } from "../../packages/server/src/platform/storage/owned-by.ts";
import type { Chance } from "../../trials/chance.ts";
import { writeHistory } from "./history.ts";
import type { Shape } from "./shapes.ts";
import { population, type OpenSession, type Payer, type SimulatedCard, type Tried, type World } from "./world.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

export interface Result {
  shape: string;
  shopPerHour: number;
  /** Numbers that the attacker tried. */
  tried: number;
  reachedAcquirer: number;
  /** Working numbers that the attacker found. */
  learned: number;
  /** Tokens that were added during the week. */
  refilled: number;
  /** Share of declines among all attempts that reached the acquirer. */
  declineRate: number;
  honest: Honest;
  honestWithout3ds: Honest;
}

export interface Honest {
  customers: number;
  paid: number;
  /** Were asked to confirm, although their bank wouldn't have asked. */
  challenged: number;
}

export interface Action {
  /** Milliseconds since the start. */
  at: number;
  run(): Promise<void>;
}

/** What an attacker does at a shop, whether it's simulated or real. */
export interface Target<Card> {
  /** A stolen number. */
  newCard(n: number): Card;
  pay(attempt: { card: Card; payer: Payer; session: OpenSession }): Promise<Tried>;
}

export async function runShape(
  world: World,
  clock: { set(time: Date): void },
  shape: Shape,
  numbers: number,
  chance: Chance,
  sayDay: (day: number) => void,
): Promise<Result> {
  const { context, tenant } = world;
  const startedAt = context.now().getTime();
  const customers = await writeHistory(world, shape.shopPerHour, chance.stream("history"));
  const result: Result = {
    shape: shape.name,
    shopPerHour: shape.shopPerHour,
    tried: 0,
    reachedAcquirer: 0,
    learned: 0,
    refilled: 0,
    declineRate: 0,
    honest: { customers: 0, paid: 0, challenged: 0 },
    honestWithout3ds: { customers: 0, paid: 0, challenged: 0 },
  };
  const atAcquirer = { asked: 0, declined: 0 };
  const note = (tried: Tried) => {
    if (!tried.reachedAcquirer) return;
    atAcquirer.asked++;
    if (tried.outcome !== "approved") atAcquirer.declined++;
  };

  const actions = [
    ...attack(targetOf(world, shape, chance.stream("cards")), shape, numbers, chance.stream("attack"), (tried) => {
      note(tried);
      result.tried++;
      if (tried.reachedAcquirer) result.reachedAcquirer++;
      if (tried.outcome === "approved") result.learned++;
    }),
    ...shop(world, shape.shopPerHour, customers, chance.stream("shop"), (card, tries) => {
      tries.forEach(note);
      const group = card.isEnrolled ? result.honest : result.honestWithout3ds;
      group.customers++;
      if (tries.at(-1)?.outcome === "approved") group.paid++;
      if (!card.isAsked && tries.some(({ wasChallenged }) => wasChallenged)) group.challenged++;
    }),
  ].sort((one, other) => one.at - other.at);

  let refilledBefore = 0;
  /** The counter starts again each day, when the worker updates the bucket. */
  const countRefills = async () => {
    const row = context.db.selectFrom("admission").select("refilled").where(ownedBy(tenant));
    const { refilled } = await row.executeTakeFirstOrThrow();
    result.refilled += refilled < refilledBefore ? refilled : refilled - refilledBefore;
    refilledBefore = refilled;
  };
  let [updatedAt, day] = [0, 0];
  await runActions(actions, async (at) => {
    clock.set(new Date(startedAt + at));
    const today = Math.floor(at / dayMs) + 1;
    if (today > day) sayDay((day = today));
    if (at - updatedAt < hourMs) return;
    updatedAt = at;
    await countRefills();
    await updateBuckets(context, 10);
    await countRefills();
    await forgetTries(context, 5_000);
  });
  await countRefills();
  result.declineRate = atAcquirer.asked === 0 ? 0 : atAcquirer.declined / atAcquirer.asked;
  return result;
}

/**
 * Runs actions in the order of their times. Everything at the same moment happens at once.
 *
 * @param before called with each moment
 */
export async function runActions(actions: readonly Action[], before = async (_at: number) => {}): Promise<void> {
  for (const [at, together] of Map.groupBy(actions, (action) => action.at)) {
    await before(at);
    await Promise.all(together.map(({ run }) => run()));
  }
}

function targetOf(world: World, shape: Shape, chance: Chance): Target<SimulatedCard> {
  return {
    newCard: () =>
      world.newCard({
        works: chance.happens(shape.working),
        isEnrolled: chance.happens(population.enrolled),
        isAsked: chance.happens(population.asked),
      }),
    pay: world.pay,
  };
}

/** The attacker's tries, as many as fit into a week. */
export function attack<Card>(
  target: Target<Card>,
  shape: Shape,
  numbers: number,
  chance: Chance,
  tried: (tried: Tried) => void,
): Action[] {
  const actions: Action[] = [];
  let session: OpenSession | null = null;
  let device: string | null = null;
  for (let n = 0; n < numbers; n++) {
    const at = Math.floor(n / shape.atOnce) * shape.everyMinutes * minuteMs;
    if (at >= weekMs) break;
    if (session === null || n % shape.triesPerSession === 0) {
      session = { mode: shape.mode, amount: chance.between(100, 9900) };
      device = shape.hasDevices ? uuidOf(chance) : null;
    }
    const payer: Payer = { canConfirm: false, ip: addressOf(Math.floor(n / shape.triesPerAddress), "203"), device };
    const own = session;
    actions.push({
      at,
      async run() {
        tried(await target.pay({ card: target.newCard(n), payer, session: own }));
      },
    });
  }
  return actions;
}

/** Honest customers, spread evenly over the week. */
function shop(
  world: World,
  perHour: number,
  known: readonly SimulatedCard[],
  chance: Chance,
  done: (card: SimulatedCard, tries: Tried[]) => void,
): Action[] {
  return Array.from({ length: Math.floor((perHour * weekMs) / hourMs) }, (_, n) => ({
    // Not at the same moment as the attacker.
    at: Math.floor((n * hourMs) / perHour) + 17,
    async run() {
      const card = chance.happens(population.newCustomers)
        ? world.newCard({ isEnrolled: chance.happens(population.enrolled), isAsked: chance.happens(population.asked) })
        : chance.pick(known);
      const payer: Payer = { canConfirm: true, ip: addressOf(n, "198"), device: null };
      const session: OpenSession = { mode: "payment", amount: chance.between(1000, 9900) };
      const typos = chance.happens(population.typos) ? chance.between(1, 3) : 0;
      const tries: Tried[] = [];
      for (let i = 0; i <= typos; i++) tries.push(await world.pay({ card, payer, session, isMistyped: i < typos }));
      done(card, tries);
    },
  }));
}

function addressOf(n: number, network: string): string {
  return `${network}.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
}

function uuidOf(chance: Chance): string {
  const hex = Array.from({ length: 32 }, () => chance.between(0, 15).toString(16)).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
