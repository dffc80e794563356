/**
 * Decoupled authentication: the bank asks its customer in its app, long after the ARes and without a browser. Each
 * result is reported once, either when the app decides (`/acs/app/:acsTransID`) or with an automatic approval after a
 * delay, so you can try it without a second device.
 */
import type { Clock } from "../clock.ts";
import { addAndTrim } from "./add-and-trim.ts";
import type { Proofs, Report, Result, Transaction } from "./result.ts";

interface Waiting {
  transaction: Transaction;
  proof: Proofs["Y"];
  stopTimer: () => void;
}

interface DecoupledOptions {
  clock: Clock;
  /** From the ARes to the automatic approval. */
  approveAfterMs: number;
  report: Report;
}

export class Decoupled {
  readonly #options: DecoupledOptions;
  /** By acsTransID. */
  readonly #waiting = new Map<string, Waiting>();
  /** By acsTransID. */
  readonly #decided = new Map<string, true>();

  constructor(options: DecoupledOptions) {
    this.#options = options;
  }

  open(transaction: Transaction, proof: Waiting["proof"]): void {
    const { acsTransID } = transaction.ids;
    const { clock, approveAfterMs } = this.#options;
    const stopTimer = clock.after(approveAfterMs, () => void this.decide(acsTransID, true));
    addAndTrim(this.#waiting, acsTransID, { transaction, proof, stopTimer }, (oldest) => oldest.stopTimer());
  }

  /** Undefined if the ID is unknown. */
  appState(acsTransID: string): "waiting" | "decided" | undefined {
    if (this.#waiting.has(acsTransID)) return "waiting";
    return this.#decided.has(acsTransID) ? "decided" : undefined;
  }

  /** Returns false if nothing waits under this ID because it's unknown or already decided. */
  async decide(acsTransID: string, isApproved: boolean): Promise<boolean> {
    const waiting = this.#waiting.get(acsTransID);
    if (waiting === undefined) return false;
    this.#waiting.delete(acsTransID);
    addAndTrim(this.#decided, acsTransID, true);
    waiting.stopTimer();
    const result: Result = isApproved
      ? { transStatus: "Y", authenticationType: "04", ...waiting.proof }
      : { transStatus: "N", transStatusReason: "01", authenticationType: "04" };
    await this.#options.report(waiting.transaction, result, 1);
    return true;
  }

  close(): void {
    for (const { stopTimer } of this.#waiting.values()) stopTimer();
    this.#waiting.clear();
  }
}
