import type { PlatformContext } from "../platform/context.ts";
import type { Telemetry } from "./telemetry.ts";

export interface TelemetryContext extends PlatformContext {
  telemetry: Telemetry;
}
