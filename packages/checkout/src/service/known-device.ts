/**
 * A random ID that this browser keeps for the shop once a payment has succeeded. With it, the service recognizes a
 * returning customer, who can pay with a new card without a challenge.
 *
 * Nothing is stored before that. Browsers give an iframe a separate storage on each site, so the ID says nothing at
 * another shop, and the customer can delete it with the site's data.
 */
const key = "oriel:device";

export interface KnownDevice {
  /** The ID to send with a payment: the stored one, or a new one. */
  id(): string;
  /** Stores the ID. */
  store(): void;
}

export function createKnownDevice(window: Pick<Window, "localStorage" | "crypto">): KnownDevice {
  let id: string | null = null;
  return {
    id: () => (id ??= read(window) ?? window.crypto.randomUUID()),
    store() {
      try {
        if (id !== null) window.localStorage.setItem(key, id);
      } catch {
        // Without storage, the customer is a new one again next time.
      }
    },
  };
}

/** Reading `localStorage` throws if the browser allows no storage. */
function read(window: Pick<Window, "localStorage">): string | null {
  try {
    const stored = window.localStorage.getItem(key);
    return stored !== null && /^[\da-f-]{36}$/.test(stored) ? stored : null;
  } catch {
    return null;
  }
}
