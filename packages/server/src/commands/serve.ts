/** `oriel serve`. */
import { readServiceConfig } from "../service-config.ts";
import { oneOf, type Command } from "./command.ts";

const roles = ["api", "worker", "all"] as const;

export const serveCommand: Command = {
  name: "serve",
  takes: [],
  options: { role: { value: roles.join("|") } },
  summary: "run the service (default: all)",
  details:
    "api answers requests, worker sends webhooks and looks after payments, all does both. Ends with SIGTERM or Ctrl-C.",
  async run({ env, option }) {
    const config = readServiceConfig(env, oneOf("role", roles, option("role") ?? "all"));
    const { serve } = await import("../serve.ts"); // the whole service, which the list of commands can do without
    await serve(config);
  },
};
