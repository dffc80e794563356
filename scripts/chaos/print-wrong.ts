/** What is wrong after a run, a line each. Where the logs are is said when the service is closed. */
const mostLines = 40;

export function printWrong(wrong: readonly string[]): void {
  for (const line of wrong.slice(0, mostLines)) console.log(`WRONG ${line}`);
  if (wrong.length > mostLines) console.log(`... and ${wrong.length - mostLines} more`);
}
