/**
 * A table of records. If it's empty, it shows a hint instead. If it's too wide, it scrolls horizontally, also by
 * keyboard. On narrow screens each record is a card (`.record-table` in `dashboard.css`), and the roles, which such
 * styles would remove, are set explicitly.
 */
import { Button, Group, Paper, ScrollArea, Table, Text, VisuallyHidden } from "@mantine/core";
import type { UseInfiniteQueryResult, InfiniteData } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ListOf } from "../api/workspace.tsx";
import { ErrorAlert } from "./error-alert.tsx";
import { Waiting } from "./loaded.tsx";

export interface Column<Item> {
  /** The column's heading. */
  name: string;
  /** Shows the heading to screen readers only, for columns of buttons. */
  isNameHidden?: boolean;
  isAmount?: boolean;
  cell: (item: Item) => ReactNode;
}

export interface RecordTableProps<Item> {
  /** The table's accessible name. */
  label: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
  rowKey: (item: Item) => string;
  /** Shown without records: what would appear here, and what to do next. */
  empty: ReactNode;
}

export function RecordTable<Item>({ label, columns, items, rowKey, empty }: RecordTableProps<Item>) {
  if (items.length === 0) return <EmptyState>{empty}</EmptyState>;
  return (
    <Paper withBorder className="record-frame">
      <ScrollArea type="auto" offsetScrollbars="x" viewportProps={{ tabIndex: 0, role: "group", "aria-label": label }}>
        <Table
          role="table"
          aria-label={label}
          verticalSpacing="xs"
          horizontalSpacing="md"
          className="record-table tight-cells"
          highlightOnHover
        >
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map(({ name, isAmount, isNameHidden }) => (
                <Table.Th key={name} scope="col" role="columnheader" ta={isAmount ? "end" : "start"}>
                  {isNameHidden ? <VisuallyHidden>{name}</VisuallyHidden> : name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            {items.map((item) => (
              <Table.Tr key={rowKey(item)} role="row">
                {columns.map(({ name, isAmount, isNameHidden, cell }) => (
                  <Table.Td
                    key={name}
                    role="cell"
                    ta={isAmount ? "end" : "start"}
                    {...(!isNameHidden && { "data-name": name })}
                  >
                    <div>{cell(item)}</div>
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

/** A {@link RecordTable} of a paginated list. */
export function PagedTable<Item>({ query, ...table }: PagedTableProps<Item>) {
  const { data, error, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = query;
  if (data === undefined)
    return error === null ? <Waiting lines={8} /> : <ErrorAlert error={error} onRetry={() => void refetch()} />;
  const items = data.pages.flatMap((page) => page.data);
  return (
    <>
      <RecordTable {...table} items={items} />
      <ErrorAlert error={error} onRetry={() => void fetchNextPage()} />
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
