/** Recovery codes, to copy or download. */
import { Button, Code, CopyButton, Group, SimpleGrid } from "@mantine/core";
import { saveFile } from "./save-file.ts";

export function RecoveryCodeList({ codes }: { codes: readonly string[] }) {
  const text = `${codes.join("\n")}\n`;
  return (
    <>
      <SimpleGrid cols={2} spacing="xs">
        {codes.map((code) => (
          <Code key={code} ta="center" py={4}>
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button variant="default" size="xs" onClick={copy}>
              {copied ? "Copied" : "Copy all"}
            </Button>
          )}
        </CopyButton>
        <Button
          variant="default"
          size="xs"
          onClick={() => saveFile("oriel-recovery-codes.txt", new Blob([text], { type: "text/plain" }))}
        >
          Download
        </Button>
      </Group>
    </>
  );
}
