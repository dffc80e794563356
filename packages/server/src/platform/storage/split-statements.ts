/** A comment, a string, a function's body, or anything else without a semicolon. */
const part = /--.*|'(?:[^']|'')*'|\$(\w*)\$[^]*?\$\1\$|[^;]/g;

/**
 * Splits a migration into its statements. Citus repeats the whole text of a change on the workers, which accept only one
 * statement.
 */
export function splitStatements(text: string): string[] {
  const statements = [""];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(part)) {
    if (index > end) statements.push("");
    statements[statements.length - 1] += found;
    end = index + found.length;
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== "");
}
