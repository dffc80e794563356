/** Setup shared by the benchmark's parts. It starts no processes: each part starts and stops the ones it needs. */
import type { Role, ServiceProcess } from "../../trials/chaos/processes.ts";
import type { Service } from "../../trials/chaos/service.ts";
import type { Receivers } from "./receivers.ts";

export interface Testbed {
  service: Service;
  receivers: Receivers;
}

export function processOf({ service }: Testbed, role: Role): ServiceProcess {
  const found = service.processes.all.find((one) => one.role === role);
  if (found === undefined) throw new Error(`Bug: no process has the role ${role}`);
  return found;
}
