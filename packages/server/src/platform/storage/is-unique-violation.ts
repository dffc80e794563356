/** Whether another row already has a value that must be unique. Citus adds the shard's number to the constraint's name. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "23505";
}
