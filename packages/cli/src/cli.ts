#!/usr/bin/env node
/** The `oriel` command line, for developers of shops. It needs only the API's URL, a test key and the network. */
import { refuseOldNode } from "@oriel/commands/refuse-old-node";

refuseOldNode("oriel");
const { runCommandLine } = await import("@oriel/commands/run-command");
const { version } = await import("@oriel/commands/version");

await runCommandLine(
  {
    program: "oriel",
    version,
    commands: {
      listen: async () => [(await import("./listen.ts")).listenCommand],
      trigger: async () => [(await import("./trigger.ts")).triggerCommand],
      monitor: async () => [(await import("./monitor.ts")).monitorCommand],
    },
    note: "Set the environment variables ORIEL_API_URL and ORIEL_SECRET_KEY. To run the service itself, use oriel-server.",
    elsewhere: "The commands for the service itself are in oriel-server.",
  },
  process.argv.slice(2),
);
