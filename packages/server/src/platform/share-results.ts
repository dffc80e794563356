/**
 * Shares expensive work between simultaneous callers: a call with the same key as one in progress gets the same result.
 * Results aren't cached after that.
 *
 * @returns a function that takes the key and the work. If the work fails, all callers get the error.
 */
export function shareResults<Result>(): (key: string, work: () => Promise<Result>) => Promise<Result> {
  const inProgress = new Map<string, Promise<Result>>();
  return (key, work) => {
    const running = inProgress.get(key) ?? work().finally(() => inProgress.delete(key));
    inProgress.set(key, running);
    return running;
  };
}
