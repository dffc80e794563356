/**
 * For a question that costs much and is asked by several at once: while it is under way, whoever asks the same hears
 * the same answer. Nothing is kept beyond that, so an answer is never older than it took.
 *
 * @returns takes what the question is called, and what asks it; what is thrown is thrown to all
 */
export function shareAnswers<Answer>(): (key: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const underWay = new Map<string, Promise<Answer>>();
  return (key, ask) => {
    const asked = underWay.get(key) ?? ask().finally(() => underWay.delete(key));
    underWay.set(key, asked);
    return asked;
  };
}
