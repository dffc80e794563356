/** Runs the service. */
import { oneOf, type Command } from "@oriel/commands";
import { readServiceConfig } from "../service-config.ts";

const roles = ["api", "worker", "all"] as const;

export const serveCommand: Command = {
  name: "serve",
  takes: [],
  options: { role: { value: roles.join("|") } },
  summary: "Run the service",
  details: `Options
  --role  api: serve requests; worker: send webhooks and run background work; all (default): both

To stop it, press Ctrl-C or send SIGTERM.`,
  async run({ env, option }) {
    const config = readServiceConfig(env, oneOf("role", roles, option("role") ?? "all"));
    const { serve } = await import("../serve.ts"); // loads the whole service, which `--help` doesn't need
    await serve(config);
  },
};
