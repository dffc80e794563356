/**
 * Whose turn the bank's page is. Several tabs can show one payment, and the bank is to be asked from one of them only:
 * a second form with the same `creq` may be refused and end the challenge that the customer is in the middle of.
 *
 * ```
 * asking --nobody objects for a moment--> holding (objects to whoever asks) --release, or the tab is gone--> free
 *    +---- "taken", or another one asks at the same moment and has the lower lot --> null
 * ```
 * The tabs of one browser ask each other on a channel that only our own origin can hear. A tab that was closed objects
 * no more, so it needs no goodbye, and nothing is stored: a browser that keeps storage and locks from a foreign frame
 * lets it have this. Where even this is refused every tab has its turn. The service's word decides as ever; all that
 * may happen is that a bank says no.
 */

/** Gives the turn back. */
type Release = () => void;

/** Null while another tab has it. */
export type TakeTurn = (payment: string) => Promise<Release | null>;

/** What one tab says, all others hear that have it open under the same name. */
export interface TurnChannel {
  say(message: number | "taken"): void;
  close(): void;
}

export type OpenTurnChannel = (name: string, hear: (message: unknown) => void) => TurnChannel;

/** Tabs that are busy answer late. The runner is fetched meanwhile, so nobody waits for it alone. */
const patienceMs = 250;

/** @param lot a number that no other tab draws */
export function takeTurnOn(openChannel: OpenTurnChannel, lot: () => number): TakeTurn {
  return (payment) =>
    new Promise((resolve) => {
      const mine = lot();
      let state: "asking" | "holding" = "asking";
      // Of our own origin and this file's making: a lot that is asked with, or "taken".
      const hear = (message: unknown) => {
        if (typeof message === "number" && (state === "holding" || mine < message)) channel.say("taken");
        else if (state === "asking") yieldTurn();
      };
      let channel: TurnChannel;
      try {
        channel = openChannel(`oriel challenge ${payment}`, hear);
      } catch {
        return resolve(() => {});
      }
      const release = () => channel.close();
      const timer = setTimeout(() => {
        state = "holding";
        resolve(release);
      }, patienceMs);
      const yieldTurn = () => {
        clearTimeout(timer);
        release();
        resolve(null);
      };
      channel.say(mine);
    });
}

export const openTurnChannel: OpenTurnChannel = (name, hear) => {
  const channel = new BroadcastChannel(name);
  channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => hear(data));
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origin than its own
    say: (message) => channel.postMessage(message),
    close: () => channel.close(),
  };
};
