/**
 * The commands of docs/deploy.md, "Production in ten steps", so that the test runs exactly what a reader runs. A block
 * whose first line is a comment that's listed in `skipped` is for another machine.
 */
import { readFileSync } from "node:fs";

const skipped = ["# on your own machine", "# from nodejs.org", "# with public host names", "# with systemd"];

export interface Step {
  title: string;
  commands: string;
}

export function readSteps(): Step[] {
  const page = readFileSync("docs/deploy.md", "utf8");
  const [, chapter = ""] = page.split("## Production in ten steps\n");
  const [steps = ""] = chapter.split(/\n## /);
  const found = steps.split(/\n### /).slice(1);
  return found.map((text) => {
    const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
    const run = blocks.filter((block) => !skipped.some((comment) => block.startsWith(comment)));
    return { title: text.split("\n")[0] ?? "", commands: run.join("\n") };
  });
}
