/**
 * Shares expensive work between simultaneous callers: a call with the same key as one in progress gets the same result.
 * Results aren't cached after that.
 *
 * @returns a function that takes the key and the work. If the work fails, all callers get the error.
 */
export function shareAnswers<Answer>(): (key: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const underWay = new Map<string, Promise<Answer>>();
  return (key, ask) => {
    const asked = underWay.get(key) ?? ask().finally(() => underWay.delete(key));
    underWay.set(key, asked);
    return asked;
  };
}
