/**
 * A table of records, newest first, page by page. Its columns say how each is written; what a record holds is only ever
 * text. Empty, it says what to do next. On a narrow screen it leaves out what the record's own page has as well, and
 * scrolls within itself, by keyboard too.
 */
import { Button, Group, Paper, ScrollArea, Table, Text, VisuallyHidden } from "@mantine/core";
import type { UseInfiniteQueryResult, InfiniteData } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ListOf } from "../api/desk.tsx";
import { Waiting } from "./loaded.tsx";
import { RefusalAlert } from "./refusal-alert.tsx";

export interface Column<Item> {
  /** Over the column. */
  name: string;
  /** Read out, and not shown: for buttons. */
  isNameHidden?: boolean;
  isAmount?: boolean;
  /** The record's own page has it as well: left out on a narrow screen. */
  isDetail?: boolean;
  cell: (item: Item) => ReactNode;
}

export interface RecordTableProps<Item> {
  /** What a screen reader calls the table. */
  label: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
  rowKey: (item: Item) => string;
  /** What stands there without any: what it would be, and what to do next. */
  empty: ReactNode;
}

export function RecordTable<Item>({ label, columns, items, rowKey, empty }: RecordTableProps<Item>) {
  if (items.length === 0) return <EmptyState>{empty}</EmptyState>;
  return (
    <Paper withBorder>
      <ScrollArea type="auto" offsetScrollbars="x" viewportProps={{ tabIndex: 0, role: "group", "aria-label": label }}>
        <Table verticalSpacing="xs" horizontalSpacing="md" className="tight-cells" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ name, isAmount, isNameHidden, isDetail }) => (
                <Table.Th
                  key={name}
                  scope="col"
                  ta={isAmount ? "end" : "start"}
                  {...(isDetail && { visibleFrom: "sm" })}
                >
                  {isNameHidden ? <VisuallyHidden>{name}</VisuallyHidden> : name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((item) => (
              <Table.Tr key={rowKey(item)}>
                {columns.map(({ name, isAmount, isDetail, cell }) => (
                  <Table.Td key={name} ta={isAmount ? "end" : "start"} {...(isDetail && { visibleFrom: "sm" })}>
                    {cell(item)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
    </Paper>
  );
}

export interface PagedTableProps<Item> extends Omit<RecordTableProps<Item>, "items"> {
  query: UseInfiniteQueryResult<InfiniteData<ListOf<Item>>>;
}

/** The same for a list that comes page by page. */
export function PagedTable<Item>({ query, ...table }: PagedTableProps<Item>) {
  const { data, error, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = query;
  if (data === undefined)
    return error === null ? <Waiting lines={8} /> : <RefusalAlert error={error} onRetry={() => void refetch()} />;
  const items = data.pages.flatMap((page) => page.data);
  return (
    <>
      <RecordTable {...table} items={items} />
      <RefusalAlert error={error} onRetry={() => void fetchNextPage()} />
      {hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </Group>
      )}
    </>
  );
}

export function EmptyState({ children }: { children: ReactNode }) {
  return (
    <Paper withBorder p="xl" ta="center">
      <Text component="div" c="dimmed">
        {children}
      </Text>
    </Paper>
  );
}
