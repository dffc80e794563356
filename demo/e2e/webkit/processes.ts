/** Processes of the WebKit tests. Waits until each responds, and stops them in reverse order. */
import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";

interface StartOptions {
  env?: Record<string, string>;
  /**
   * URL that returns 200 once the process is up. Without one, it's up when it has written a line to file descriptor 3.
   */
  statusUrl?: string;
}

const startTimeoutMs = 90_000;
const stopTimeoutMs = 15_000;
const children: ChildProcess[] = [];

/** @returns the line, if there's no URL */
export async function start(
  name: string,
  command: string,
  args: string[],
  { env = {}, statusUrl }: StartOptions,
): Promise<string> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  children.push(child);
  const ended = new Promise<never>((_resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${name} exited with ${code} before it was up`)));
  });
  ended.catch(() => {});
  const late = AbortSignal.timeout(startTimeoutMs);
  // A pipe, as configured above.
  const isUp = statusUrl === undefined ? firstLine(child.stdio[3] as Readable) : untilOk(statusUrl, late);
  const gaveUp = new Promise<never>((_resolve, reject) => {
    late.addEventListener("abort", () => reject(new Error(`${name} was not up within ${startTimeoutMs / 1000} s`)));
  });
  return await Promise.race([isUp, ended, gaveUp]);
}

export async function endAll(): Promise<void> {
  for (const child of children.splice(0).reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
    await ended;
    clearTimeout(timer);
  }
}

async function untilOk(url: string, signal: AbortSignal): Promise<string> {
  while (!signal.aborted) {
    const ok = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return "";
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return "";
}

function firstLine(stream: Readable): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    stream.on("data", (part) => {
      text += String(part);
      if (text.includes("\n")) resolve(text.trim());
    });
  });
}
