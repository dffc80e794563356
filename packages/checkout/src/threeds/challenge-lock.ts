/**
 * Decides which tab shows the bank's page. Several tabs can show one payment, but only one of them may post to the
 * bank: a second form with the same `creq` may be rejected and end the challenge that the customer is completing.
 *
 * ```
 * requesting --no objection for a moment--> holding (objects to other tabs) --released, or tab closed--> free
 *     +---- "taken", or another tab requests the turn at the same time with a lower number --> null
 * ```
 * The tabs of one browser communicate over a channel that only our own origin can use. A closed tab no longer objects,
 * so it doesn't need to announce that it closes. Nothing is stored, because browsers deny storage and locks to
 * third-party iframes but allow this channel. If even the channel is denied, every tab gets the turn. The service still
 * decides the outcome; the worst case is that a bank rejects a post.
 */

/** Releases the turn. */
type Release = () => void;

/**
 * Resolves to null while another tab has the turn.
 * @param resumed whether this page found the payment in progress, so that another tab may be showing it
 */
export type TakeTurn = (payment: string, resumed: boolean) => Promise<Release | null>;

/** A channel between tabs. What one tab says, all others with the same channel name receive. */
export interface TurnChannel {
  send(message: number | "taken"): void;
  close(): void;
}

export type OpenTurnChannel = (name: string, receive: (message: unknown) => void) => TurnChannel;

/** The runner loads in parallel, so this rarely delays anyone. */
const patienceMs = 250;
/** Busy tabs on a busy device respond late. This delays only a customer who has reloaded or opened a second tab. */
const resumedPatienceMs = 1_000;

/** @param random returns a random number, different in each tab */
export function takeTurnOn(openChannel: OpenTurnChannel, random: () => number): TakeTurn {
  return (payment, resumed) =>
    new Promise((resolve) => {
      const mine = random();
      let state: "requesting" | "holding" = "requesting";
      // From our own origin and this file: another tab's lot, or "taken".
      const receive = (message: unknown) => {
        if (typeof message === "number" && (state === "holding" || mine < message)) channel.send("taken");
        else if (state === "requesting") yieldTurn();
      };
      let channel: TurnChannel;
      try {
        channel = openChannel(`oriel challenge ${payment}`, receive);
      } catch {
        return resolve(() => {});
      }
      const release = () => channel.close();
      const timer = setTimeout(
        () => {
          state = "holding";
          resolve(release);
        },
        resumed ? resumedPatienceMs : patienceMs,
      );
      const yieldTurn = () => {
        clearTimeout(timer);
        release();
        resolve(null);
      };
      channel.send(mine);
    });
}

export const openTurnChannel: OpenTurnChannel = (name, receive) => {
  const channel = new BroadcastChannel(name);
  channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => receive(data));
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel never leaves its own origin
    send: (message) => channel.postMessage(message),
    close: () => channel.close(),
  };
};
