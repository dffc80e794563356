/** The functions that the service calls in the database. `migrate` creates them. */
import type { StoredFunction } from "./platform/storage/stored-function.ts";

export const storedFunctions: readonly StoredFunction[] = [];
