/**
 * What each part of the benchmark measures on. Its processes are not started: each part starts those it needs, and ends
 * them.
 */
import type { Role, ServiceProcess } from "../../scripts/chaos/processes.ts";
import type { Service } from "../../scripts/chaos/service.ts";
import type { Receivers } from "./receivers.ts";

export interface Ground {
  service: Service;
  receivers: Receivers;
}

export function processOf({ service }: Ground, role: Role): ServiceProcess {
  const found = service.processes.all.find((one) => one.role === role);
  if (found === undefined) throw new Error(`Bug: there is no process of the role ${role}`);
  return found;
}
