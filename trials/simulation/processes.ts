/**
 * Processes of the service that can die. Everything that an action starts, also in the background, belongs to one process.
 * A process dies at a chosen point: before or after a commit, or a request to the acquirer. From then on nothing that it
 * waits for ever happens, as after a SIGKILL: no `catch` or `finally` runs, and open transactions are rolled back.
 */
import { AsyncLocalStorage } from "node:async_hooks";

export interface Process {
  isDead: boolean;
  /** How many writes succeed before one fails. */
  writesLeft: number;
  /** Releases what the process holds outside of it, such as a connection. */
  readonly held: Set<() => Promise<void>>;
}

/** How a run of a process ended. */
export type Ended<T> = { died: false; result: T } | { died: true };

interface Life extends Process {
  /** How many points it survives. */
  left: number;
  readonly background: Promise<unknown>[];
  die(): void;
}

const never = new Promise<never>(() => {});

export class Processes {
  readonly #lives = new AsyncLocalStorage<Life>();
  readonly #onDeath: () => void;
  /** How many have run. */
  runs = 0;

  /** @param onDeath forgets what only the process knew */
  constructor(onDeath: () => void) {
    this.#onDeath = onDeath;
  }

  /** The process that runs now. Null outside of any. */
  current(): Process | null {
    return this.#lives.getStore() ?? null;
  }

  /**
   * Runs an action as a process of its own, until everything that it started has ended.
   *
   * @param diesAt how many points it survives, or null if it doesn't die
   * @param failsAt how many of its writes succeed before one fails, or null if none fails
   */
  async run<T>(diesAt: number | null, action: () => Promise<T>, failsAt: number | null = null): Promise<Ended<T>> {
    this.runs++;
    const { promise: death, resolve } = Promise.withResolvers<{ died: true }>();
    const die = () => resolve({ died: true });
    const [left, writesLeft] = [diesAt ?? Infinity, failsAt ?? Infinity];
    const life: Life = { isDead: false, writesLeft, held: new Set(), left, background: [], die };
    const finish = async (): Promise<Ended<T>> => {
      const result = await action();
      // Background work can start more of it.
      for (const work of life.background) await work;
      return { died: false, result };
    };
    return await Promise.race([this.#lives.run(life, finish), death]);
  }

  /** A point where the current process may die. It then never returns. */
  async point(): Promise<void> {
    const life = this.#lives.getStore();
    if (life === undefined) return;
    if (life.isDead) await never;
    if (life.left-- > 0) return;
    life.isDead = true;
    for (const release of life.held) await release();
    this.#onDeath();
    life.die();
    await never;
  }

  /** Never returns if the current process is dead. */
  async requireLife(): Promise<void> {
    if (this.#lives.getStore()?.isDead === true) await never;
  }

  /** Continues work after its caller has returned. */
  inBackground(work: Promise<unknown>): void {
    this.#lives.getStore()?.background.push(work);
  }
}
