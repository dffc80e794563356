/** A field for a new password. The service checks its strength. */
import { PasswordInput, type PasswordInputProps } from "@mantine/core";

export function NewPasswordInput({ description = "At least 12 characters", ...field }: PasswordInputProps) {
  return <PasswordInput description={description} autoComplete="new-password" maxLength={256} required {...field} />;
}
