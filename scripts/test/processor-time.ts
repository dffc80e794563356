/**
 * Processor time of the test commands' steps. A step's wall time says little on a busy machine; its processor time says
 * what it costs.
 */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";

export const cores = cpus().length;

/** Linux reports times in ticks, on all of today's machines 100 a second (proc_pid_stat(5), `USER_HZ`). */
const ticksPerSecond = 100;

let counted = endedChildren();

/**
 * Call this when a child process exits.
 *
 * @returns seconds that the processes used which ended since the last call: the child, and all its descendants that
 * their parents waited for. Null if this system doesn't say
 */
export function takeChildrenSeconds(): number | null {
  const before = counted;
  counted = endedChildren();
  return before === null || counted === null ? null : counted - before;
}

/** @returns seconds that the machine's cores have worked since it started, for whatever process */
export function machineSeconds(): number {
  return cpus().reduce((total, { times: { user, nice, sys, irq } }) => total + user + nice + sys + irq, 0) / 1000;
}

/** Seconds of all waited-for children of this process: the fields `cutime` and `cstime`, which libuv doesn't expose. */
function endedChildren(): number | null {
  let text: string;
  try {
    text = readFileSync("/proc/self/stat", "utf8");
  } catch {
    return null; // not Linux
  }
  // The second field is the program's name in parentheses, which may contain spaces. These are fields 16 and 17.
  const [userTicks, systemTicks] = text.slice(text.lastIndexOf(")") + 2).split(" ").slice(13, 15); // prettier-ignore
  return (Number(userTicks) + Number(systemTicks)) / ticksPerSecond;
}
