/** Returns the message of a thrown value. If a host has several IP addresses, a failed connection has one for each. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}
