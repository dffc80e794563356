/** What the log is told of something that was thrown: where it came from, if that is known. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
