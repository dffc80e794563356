import type { CreateCheckoutSession } from "@oriel/protocol/api";
import { faultsOfAppearance } from "@oriel/protocol/color-contrast";
import { readSettings } from "@oriel/protocol/frame-settings";
import { ApiError } from "../../platform/errors.ts";

/**
 * Checks the values of a session's or account's appearance: that each is a color, a length or a font, and that Pay and
 * the card fields have enough contrast. The schema has already checked the names.
 */
export function checkAppearance({ appearance }: Pick<CreateCheckoutSession, "appearance">): void {
  const { settings, refused } = readSettings({ appearance });
  const [param] = refused;
  if (param !== undefined) {
    const what = param.slice(param.lastIndexOf(".") + 1);
    throw new ApiError(
      "parameter_invalid",
      `\`${what}\` isn't valid. Use a color, length or font in a format that docs/embed/theming.md describes.`,
      { param },
    );
  }
  const [fault] = faultsOfAppearance(settings.appearance ?? {});
  if (fault !== undefined) {
    throw new ApiError("parameter_invalid", fault.message, { param: `appearance.variables.${fault.variables[0]}` });
  }
}
