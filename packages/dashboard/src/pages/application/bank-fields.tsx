/**
 * Where money is paid out to. An account that is kept shows its last characters only; another one replaces it whole.
 */
import { Button, Group, Radio, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import type { MerchantDetails } from "@oriel/protocol/dashboard-underwriting";
import { Section } from "../../parts/section.tsx";
import { labelOf, noBank, type ApplicationFields, type BankValues } from "./form-values.ts";
import { KeptBank } from "./kept-bank.tsx";

export interface BankFieldsProps {
  form: ApplicationFields;
  kept: MerchantDetails["bank_account"];
}

export function BankFields({ form, kept }: BankFieldsProps) {
  const { kind } = form.values.bank_account;
  const change = (bank: BankValues) => form.setFieldValue("bank_account", bank);
  if (kind === "kept")
    return (
      <Section title="Bank account">
        <Group>
          <Text className="break-anywhere">
            <KeptBank bank={kept} />
          </Text>
          <Button variant="default" size="xs" onClick={() => change(noBank)}>
            Use another one
          </Button>
        </Group>
      </Section>
    );
  return (
    <Section
      title="Bank account"
      lead="Where money is paid out to. Once it is saved, only its last four characters are shown here."
    >
      <Stack maw={640}>
        <Radio.Group
          label="Kind of account"
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
              description="Sort code, ABA number, BSB, ..."
              autoComplete="off"
              spellCheck={false}
              maxLength={20}
              {...form.getInputProps("bank_account.routing_number")}
            />
          </SimpleGrid>
        )}
        {kept !== undefined && (
          <div>
            <Button variant="default" size="xs" onClick={() => change({ ...noBank, kind: "kept" })}>
              Keep the one before
            </Button>
          </div>
        )}
      </Stack>
    </Section>
  );
}
