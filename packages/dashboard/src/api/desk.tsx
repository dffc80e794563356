/**
 * Where a member works: one account in one mode, both in the address. Every question a page asks about it, and all that
 * is kept of the answers, carries both.
 */
import { useInfiniteQuery, useQuery, type QueryKey } from "@tanstack/react-query";
import type { Me, Membership, Permission } from "@oriel/protocol/dashboard";
import { permissionsOf } from "@oriel/protocol/dashboard-roles";
import { createContext, useContext } from "react";
import { ask } from "./ask.ts";

export type Mode = "test" | "live";

export interface Desk {
  me: Me;
  membership: Membership;
  mode: Mode;
  /** Whether the member's role includes it. What the page hides by it, the service refuses too. */
  may(permission: Permission): boolean;
  /** A page of this account and mode: `href("payments")`. */
  href(page: string): string;
  /** What the service has of it: `data("payments?limit=20")`. */
  data(path: string): string;
  key(path: string): QueryKey;
}

export function createDesk(me: Me, membership: Membership, mode: Mode): Desk {
  const place = `/${membership.account_id}/${mode}`;
  return {
    me,
    membership,
    mode,
    may: (permission) => permissionsOf[membership.role].includes(permission),
    href: (page) => `${place}/${page}`,
    data: (path) => `/data${place}/${path}`,
    key: (path) => ["data", membership.account_id, mode, ...path.split("/")],
  };
}

const DeskContext = createContext<Desk | null>(null);
export const DeskProvider = DeskContext.Provider;

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (desk === null) throw new Error("Bug: a page of an account stands outside of its desk");
  return desk;
}

/** Null on a page of no account. */
export function useMode(): Mode | null {
  return useContext(DeskContext)?.mode ?? null;
}

/**
 * One thing: `useDeskQuery<Team>("team")`. Its key is its path, piece by piece, so that `desk.key("payments")`
 * invalidates all payments.
 */
export function useDeskQuery<Answer>(path: string, options: { refetchInterval?: number; enabled?: boolean } = {}) {
  const desk = useDesk();
  return useQuery({
    queryKey: desk.key(path),
    queryFn: ({ signal }) => ask<Answer>(desk.data(path), { signal }),
    ...options,
  });
}

/** As every list of the service answers. */
export interface ListOf<Item> {
  data: Item[];
  has_more: boolean;
}

/** A list by its pages, newest first; `filters` are the list's own parameters. */
export function useDeskList<Item extends { id: string }>(
  path: string,
  filters: URLSearchParams = new URLSearchParams(),
) {
  const desk = useDesk();
  return useInfiniteQuery({
    queryKey: [...desk.key(path), "list", filters.toString()],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams(filters);
      query.set("limit", "25");
      if (pageParam !== "") query.set("starting_after", pageParam);
      return ask<ListOf<Item>>(`${desk.data(path)}?${query}`, { signal });
    },
    getNextPageParam: ({ data, has_more }) => (has_more ? data.at(-1)?.id : undefined),
  });
}
