/** Finds WebKitGTK's MiniBrowser and its driver, and starts the browser on a separate display. */
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Builder, Capabilities, type WebDriver } from "selenium-webdriver";
import { freePort } from "../../../scripts/test/free-port.ts";
import { start } from "./processes.ts";

export interface WebKitPaths {
  driver: string;
  browser: string;
  display: string;
}

/** Null if one of the three is missing. */
export function findWebKit(): WebKitPaths | null {
  const driver = onPath("WebKitWebDriver");
  const display = onPath("Xvfb");
  const browser = ["/usr/lib", "/usr/libexec", ...foldersOf("/usr/lib")]
    .flatMap((folder) =>
      ["webkit2gtk-4.1", "webkit2gtk-4.0", "webkitgtk-6.0"].map((name) => join(folder, name, "MiniBrowser")),
    )
    .find((path) => existsSync(path));
  return driver && display && browser ? { driver, browser, display } : null;
}

/** Starts a new browser without history, with its driver. `quit` and `endAll` stop both. */
export async function startBrowser({ driver, browser, display }: WebKitPaths): Promise<WebDriver> {
  // Without -noreset, it refuses connections for a moment after a browser has quit.
  const screen = ["-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset"];
  displayNumber ??= start("Xvfb", display, ["-displayfd", "3", ...screen], {});
  driverAddress ??= startDriver(driver, `:${await displayNumber}`);
  return await new Builder()
    .usingServer(await driverAddress)
    .withCapabilities(
      new Capabilities({
        browserName: "MiniBrowser",
        "webkitgtk:browserOptions": { binary: browser, args: ["--automation"] },
      }),
    )
    .build();
}

let displayNumber: Promise<string> | null = null;
let driverAddress: Promise<string> | null = null;

async function startDriver(driver: string, display: string): Promise<string> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  await start("WebKitWebDriver", driver, [`--port=${port}`, "--host=127.0.0.1"], {
    // For machines without a GPU.
    env: { DISPLAY: display, WEBKIT_DISABLE_COMPOSITING_MODE: "1", LIBGL_ALWAYS_SOFTWARE: "1" },
    statusUrl: `${address}/status`,
  });
  return address;
}

function onPath(name: string): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

function foldersOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}
