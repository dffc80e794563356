/** Why a process cannot start, for the one who started it: the sentence says what to do, and no stack is shown. */
export class StartError extends Error {
  override readonly name: string = "StartError";
}
