/** For a password that is chosen. Whether it is good enough the service says. */
import { PasswordInput, type PasswordInputProps } from "@mantine/core";

export function NewPasswordInput({
  description = "At least 12 characters, any you like.",
  ...field
}: PasswordInputProps) {
  return <PasswordInput description={description} autoComplete="new-password" maxLength={256} required {...field} />;
}
