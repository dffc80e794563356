/**
 * A look while it is edited: every token as text, empty where it is not set. What of it can be read becomes the look;
 * the rest is a fault beside its field. The words are `frame-looks.ts`'s, which the frame and the service read by as
 * well.
 */
import {
  appearanceVariables,
  lookReaders,
  readByPath,
  type AppearanceVariable,
  type FrameAppearance,
} from "@oriel/protocol/frame-looks";

export interface LookDraft extends Record<AppearanceVariable, string> {
  /** Empty: `auto`. */
  theme: "" | "light" | "dark";
  style: "" | "flat" | "none";
  /** Empty: `above`. */
  labels: "" | "floating" | "hidden";
  disableAnimations: boolean;
}

/** @param look null: ours */
export function draftOf(look: FrameAppearance | null): LookDraft {
  const { theme = "auto", style = "", labels = "above", disableAnimations = false, variables = {} } = look ?? {};
  const texts = Object.fromEntries(appearanceVariables.map((name) => [name, variables[name] ?? ""]));
  return {
    ...(texts as Record<AppearanceVariable, string>), // just made of all names
    theme: theme === "auto" ? "" : theme,
    style,
    labels: labels === "above" ? "" : labels,
    disableAnimations,
  };
}

/** @returns null where nothing is set; and the fields that cannot be read, which are left out of the look */
export function lookOf(draft: LookDraft): { look: FrameAppearance | null; faults: (keyof LookDraft)[] } {
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
  const { settings, refused } = readByPath({ appearance: given }, lookReaders);
  const look = settings["appearance"] as FrameAppearance; // read just now
  const faults = refused.map((path) => path.split(".").at(-1) as keyof LookDraft); // of the names above
  if (look.variables !== undefined && Object.keys(look.variables).length === 0) delete look.variables;
  return { look: Object.keys(look).length === 0 ? null : look, faults };
}
