/** A colour, typed in any way that CSS knows, or picked with the browser's own picker. */
import { TextInput, type TextInputProps } from "@mantine/core";
import { encode, readCssColor } from "@oriel/protocol/css-color";

export interface ColourFieldProps extends Omit<TextInputProps, "onChange" | "value" | "label" | "placeholder"> {
  label: string;
  /** What stands there while nothing is typed. */
  placeholder: string;
  value: string;
  onChange: (colour: string) => void;
}

export function ColourField({ label, placeholder, value, onChange, ...field }: ColourFieldProps) {
  return (
    <TextInput
      {...field}
      label={label}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      maxLength={80}
      spellCheck={false}
      leftSectionPointerEvents="all"
      leftSection={
        <input
          type="color"
          aria-label={`Pick a colour: ${label}`}
          value={hexOf(value) ?? hexOf(placeholder) ?? "#000000"}
          onChange={(event) => onChange(event.currentTarget.value)}
          style={{ inlineSize: 24, blockSize: 24, padding: 0, border: "none", background: "none", cursor: "pointer" }}
        />
      }
    />
  );
}

/** The picker knows no other way to write one, and no transparency. */
function hexOf(text: string): string | null {
  const colour = readCssColor(text);
  if (colour === null) return null;
  const byte = (linear: number) => Math.round(255 * encode(Math.min(1, Math.max(0, linear))));
  return `#${colour
    .slice(0, 3)
    .map((part) => byte(part).toString(16).padStart(2, "0"))
    .join("")}`;
}
