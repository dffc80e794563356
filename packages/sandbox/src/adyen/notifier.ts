/**
 * Delivers notifications as Adyen's standard webhook: one signed item per HTTP request, each at least once. Delivery can
 * be disordered on purpose, because Adyen promises neither order nor uniqueness.
 *
 * A notification is accepted with any 2xx status, which includes the older convention of a 200 with `[accepted]`. Any
 * other response, or none within ten seconds, is a failure, and the notification is sent again until 30 days have
 * passed. Source: docs.adyen.com/development-resources/webhooks/handle-webhook-events and /troubleshoot.
 */
import type { Clock } from "../clock.ts";
import type { AdyenLedger } from "./ledger.ts";
import type { NotificationRequestItem } from "./messages.ts";
import { Schedule } from "./schedule.ts";
import { isHmacKey, signItem } from "./signature.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

const giveUpAfterMs = 30 * 24 * hourMs;
/** Timers can't wait longer than 24 days. */
const longestWaitMs = hourMs;

const adyenRetryDelaysMs = [
  ...[9, 9, 9].map((seconds) => seconds * secondMs),
  ...[2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 4, 8].map((hours) => hours * hourMs),
];

export interface Disorder {
  /** Probability that a notification is sent a second time. */
  duplicates?: number;
  /** Each delivery is delayed by a random time up to this. */
  maxDelayMs?: number;
  /** Whether notifications that are due together are sent in random order. */
  reorder?: boolean;
}

export interface WebhookOptions {
  url: string;
  /** 32 bytes in hex. */
  hmacKey: string;
  disorder?: Disorder;
  /** Delays after the first, second, … failure. The last one repeats. Default: Adyen's, from 9 seconds to 8 hours. */
  retryDelaysMs?: readonly number[];
  /** Timeout of one request. Default: 10 seconds. */
  timeoutMs?: number;
}

interface NotifierOptions extends WebhookOptions {
  ledger: AdyenLedger;
  clock: Clock;
  /** Random numbers from 0 (inclusive) to 1 (exclusive). */
  random: () => number;
  /** Aborts deliveries when the bank closes. */
  closing: AbortSignal;
}

interface Delivery {
  item: NotificationRequestItem;
  failures: number;
  giveUpMs: number;
}

export interface Delivered {
  accepted: number;
  failed: number;
}

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #queue = new Schedule<Delivery>();
  #last: Promise<unknown> = Promise.resolve();
  #stopTimer = () => {};

  /** @throws RangeError if the HMAC key isn't 32 bytes in hex */
  constructor(options: NotifierOptions) {
    if (!isHmacKey(options.hmacKey)) throw new RangeError("The HMAC key must be 32 bytes in hex.");
    this.#options = options;
    options.closing.addEventListener("abort", () => this.#stopTimer());
  }

  /** Sets a timer for the next delivery. Call it after anything that may have changed the ledger. */
  schedule(): void {
    this.#stopTimer();
    const { clock, ledger, closing } = this.#options;
    const times = [ledger.nextDue()?.getTime() ?? null, this.#queue.nextDueMs()].filter((time) => time !== null);
    if (times.length === 0 || closing.aborted) return;
    const delayMs = Math.min(longestWaitMs, Math.max(0, Math.min(...times) - clock.now()));
    this.#stopTimer = clock.after(delayMs, () => void this.deliver());
  }

  /** Sends what is due now. Concurrent calls run one after the other. */
  deliver(): Promise<Delivered> {
    const delivered = this.#last.then(() => this.#deliverDue());
    this.#last = delivered.catch(() => {}); // the next delivery runs all the same
    return delivered;
  }

  async #deliverDue(): Promise<Delivered> {
    const { ledger, clock, disorder = {}, random } = this.#options;
    const nowMs = clock.now();
    for (const { item } of ledger.takeDue(new Date(nowMs))) {
      const copies = random() < (disorder.duplicates ?? 0) ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        const delayMs = Math.floor(random() * (disorder.maxDelayMs ?? 0));
        this.#queue.add(nowMs + delayMs, { item, failures: 0, giveUpMs: nowMs + giveUpAfterMs });
      }
    }
    const due = this.#queue.takeDue(nowMs).map(({ value }) => value);
    const delivered = { accepted: 0, failed: 0 };
    for (const delivery of disorder.reorder === true ? shuffled(due, random) : due) {
      if (await this.#send(delivery.item)) delivered.accepted += 1;
      else {
        delivered.failed += 1;
        this.#retryLater(delivery);
      }
    }
    this.schedule();
    return delivered;
  }

  #retryLater({ item, failures, giveUpMs }: Delivery): void {
    const { clock, retryDelaysMs = adyenRetryDelaysMs } = this.#options;
    const delayMs = retryDelaysMs[failures] ?? retryDelaysMs.at(-1) ?? minuteMs;
    const nextMs = clock.now() + delayMs;
    if (nextMs < giveUpMs) this.#queue.add(nextMs, { item, failures: failures + 1, giveUpMs });
  }

  async #send(item: NotificationRequestItem): Promise<boolean> {
    const { url, hmacKey, timeoutMs = 10_000, closing } = this.#options;
    const body = { live: "false", notificationItems: [{ NotificationRequestItem: signItem(item, hmacKey) }] };
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        redirect: "manual",
        signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]),
      });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }
}

/** Fisher–Yates. */
function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const rest = [...values];
  const result: T[] = [];
  while (rest.length > 0) result.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return result;
}
