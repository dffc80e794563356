/**
 * The bank account for payouts. Only the last characters of a saved account are shown, and it can only be replaced as a
 * whole.
 */
import { Button, Group, Radio, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import type { MerchantDetails } from "@oriel/protocol/dashboard/underwriting";
import { Section } from "../../parts/section.tsx";
import { labelOf, noBank, type ApplicationFields, type BankValues } from "./form-values.ts";
import { SavedBankAccount } from "./saved-bank-account.tsx";

export interface BankFieldsProps {
  form: ApplicationFields;
  saved: MerchantDetails["bank_account"];
}

export function BankFields({ form, saved }: BankFieldsProps) {
  const { kind } = form.values.bank_account;
  const change = (bank: BankValues) => form.setFieldValue("bank_account", bank);
  if (kind === "saved")
    return (
      <Section title="Bank account">
        <Group>
          <Text className="break-anywhere">
            <SavedBankAccount bank={saved} />
          </Text>
          <Button variant="default" size="xs" onClick={() => change(noBank)}>
            Use another account
          </Button>
        </Group>
      </Section>
    );
  return (
    <Section
      title="Bank account"
      lead="The account for your payouts. After you save it, only its last four characters are shown."
    >
      <Stack maw={640}>
        <Radio.Group
          label="Account type"
          value={kind}
          onChange={(chosen) =>
            change({ ...form.values.bank_account, kind: chosen === "iban" ? "iban" : "account_number" })
          }
        >
          <Group mt={4}>
            <Radio value="iban" label="IBAN" />
            <Radio value="account_number" label="Account number and routing number" />
          </Group>
        </Radio.Group>
        <TextInput
          label={labelOf("bank_account.holder_name")}
          autoComplete="off"
          maxLength={100}
          {...form.getInputProps("bank_account.holder_name")}
        />
        {kind === "iban" ? (
          <TextInput
            label={labelOf("bank_account.iban")}
            autoComplete="off"
            spellCheck={false}
            maxLength={50}
            {...form.getInputProps("bank_account.iban")}
          />
        ) : (
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={labelOf("bank_account.account_number")}
              autoComplete="off"
              spellCheck={false}
              maxLength={34}
              {...form.getInputProps("bank_account.account_number")}
            />
            <TextInput
              label={labelOf("bank_account.routing_number")}
              description="For example, sort code, ABA number or BSB"
              autoComplete="off"
              spellCheck={false}
              maxLength={20}
              {...form.getInputProps("bank_account.routing_number")}
            />
          </SimpleGrid>
        )}
        {saved !== undefined && (
          <div>
            <Button variant="default" size="xs" onClick={() => change(form.getInitialValues().bank_account)}>
              Keep saved account
            </Button>
          </div>
        )}
      </Stack>
    </Section>
  );
}
