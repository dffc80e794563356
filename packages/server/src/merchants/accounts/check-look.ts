import type { CreateCheckoutSession } from "@oriel/protocol/api";
import { readSettings } from "@oriel/protocol/frame-settings";
import { faultsOfLook } from "@oriel/protocol/look-contrast";
import { ApiError } from "../../platform/errors.ts";

/**
 * The schema has seen that there are only tokens; here it is seen that each is a color, a length, a font, and that Pay
 * and the card fields can be read in them.
 */
export function checkLook({ appearance }: Pick<CreateCheckoutSession, "appearance">): void {
  const { settings, refused } = readSettings({ appearance });
  const [param] = refused;
  if (param !== undefined) {
    const what = param.slice(param.lastIndexOf(".") + 1);
    throw new ApiError(
      "parameter_invalid",
      `\`${what}\` cannot be read: give a colour, a length or fonts as the docs on theming have them.`,
      { param },
    );
  }
  const [fault] = faultsOfLook(settings.appearance ?? {});
  if (fault !== undefined) {
    throw new ApiError("parameter_invalid", fault.message, { param: `appearance.variables.${fault.variables[0]}` });
  }
}
