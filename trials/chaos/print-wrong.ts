/** Prints each problem of a run on its own line. The location of the logs is printed when the service closes. */
const maxLines = 40;

export function printWrong(wrong: readonly string[]): void {
  for (const line of wrong.slice(0, maxLines)) console.log(`WRONG ${line}`);
  if (wrong.length > maxLines) console.log(`... and ${wrong.length - maxLines} more`);
}
