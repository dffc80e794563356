/** A color field that accepts any CSS color and has the browser's color picker. */
import { TextInput, type TextInputProps } from "@mantine/core";
import { encode, readCssColor } from "@oriel/protocol/css-color";

export interface ColorFieldProps extends Omit<TextInputProps, "onChange" | "value" | "label" | "placeholder"> {
  label: string;
  /** The default color, shown while the field is empty. */
  placeholder: string;
  value: string;
  onChange: (color: string) => void;
}

export function ColorField({ label, placeholder, value, onChange, ...field }: ColorFieldProps) {
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
          aria-label={`Pick a color: ${label}`}
          value={hexOf(value) ?? hexOf(placeholder) ?? "#000000"}
          onChange={(event) => onChange(event.currentTarget.value)}
          style={{ inlineSize: 24, blockSize: 24, padding: 0, border: "none", background: "none", cursor: "pointer" }}
        />
      }
    />
  );
}

/** Color pickers accept only six-digit hexadecimal colors, without transparency. */
function hexOf(text: string): string | null {
  const color = readCssColor(text);
  if (color === null) return null;
  const byte = (linear: number) => Math.round(255 * encode(Math.min(1, Math.max(0, linear))));
  return `#${color
    .slice(0, 3)
    .map((part) => byte(part).toString(16).padStart(2, "0"))
    .join("")}`;
}
