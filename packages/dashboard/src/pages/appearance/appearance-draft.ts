/**
 * The appearance as form values: every token is text, and empty if it isn't set. Valid values become the appearance,
 * and invalid ones are reported by field. The rules are in `appearance-settings.ts`, which the iframe and the service also use.
 */
import {
  appearanceVariables,
  appearanceReaders,
  readByPath,
  type AppearanceVariable,
  type FrameAppearance,
} from "@oriel/protocol/appearance-settings";

export interface AppearanceDraft extends Record<AppearanceVariable, string> {
  /** An empty string means `auto`. */
  theme: "" | "light" | "dark";
  style: "" | "flat" | "none";
  /** An empty string means `above`. */
  labels: "" | "floating" | "hidden";
  disableAnimations: boolean;
}

/** @param appearance null for the default appearance */
export function draftOf(appearance: FrameAppearance | null): AppearanceDraft {
  const { theme = "auto", style = "", labels = "above", disableAnimations = false, variables = {} } = appearance ?? {};
  const texts = Object.fromEntries(appearanceVariables.map((name) => [name, variables[name] ?? ""]));
  return {
    ...(texts as Record<AppearanceVariable, string>), // contains every name
    theme: theme === "auto" ? "" : theme,
    style,
    labels: labels === "above" ? "" : labels,
    disableAnimations,
  };
}

/** @returns the appearance, or null if nothing is set, and the invalid fields, which it leaves out */
export function appearanceOf(draft: AppearanceDraft): {
  appearance: FrameAppearance | null;
  faults: (keyof AppearanceDraft)[];
} {
  const { theme, style, labels, disableAnimations } = draft;
  const typed = appearanceVariables
    .map((name) => [name, draft[name].trim()] as const)
    .filter(([, text]) => text !== "");
  const variables = Object.fromEntries(typed);
  const given = {
    ...(theme !== "" && { theme }),
    ...(style !== "" && { style }),
    ...(labels !== "" && { labels }),
    ...(disableAnimations && { disableAnimations }),
    ...(typed.length > 0 && { variables }),
  };
  const { settings, refused } = readByPath({ appearance: given }, appearanceReaders);
  const appearance = settings["appearance"] as FrameAppearance; // validated above
  const faults = refused.map((path) => path.split(".").at(-1) as keyof AppearanceDraft); // paths end in these names
  if (appearance.variables !== undefined && Object.keys(appearance.variables).length === 0) delete appearance.variables;
  return { appearance: Object.keys(appearance).length === 0 ? null : appearance, faults };
}
