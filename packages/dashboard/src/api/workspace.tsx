/**
 * The account and mode that a member works in. Both are part of the URL, of every request for the account's data and of
 * the keys under which responses are cached.
 */
import { useInfiniteQuery, useQuery, type QueryKey } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { Permission } from "@oriel/protocol/dashboard/roles";
import { permissionsOf } from "@oriel/protocol/dashboard/roles";
import type { Me, Membership } from "@oriel/protocol/dashboard/sign-in";
import { request } from "./request.ts";

export type Mode = "test" | "live";

export interface Workspace {
  me: Me;
  membership: Membership;
  mode: Mode;
  /**
   * Whether the member's role includes the permission. Only used to hide controls: the service checks every request.
   */
  may(permission: Permission): boolean;
  /** The path of a page of this account and mode: `href("payments")`. */
  href(page: string): string;
  /** The path of data of this account and mode: `data("payments?limit=20")`. */
  data(path: string): string;
  key(path: string): QueryKey;
}

export function createWorkspace(me: Me, membership: Membership, mode: Mode): Workspace {
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

const WorkspaceContext = createContext<Workspace | null>(null);
export const WorkspaceProvider = WorkspaceContext.Provider;

export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (workspace === null) throw new Error("Bug: useWorkspace() outside of a WorkspaceProvider");
  return workspace;
}

/** @returns null on pages that don't belong to an account */
export function useMode(): Mode | null {
  return useContext(WorkspaceContext)?.mode ?? null;
}

/**
 * Queries one resource of the account. Its query key consists of the segments of its path, so
 * `workspace.key("payments")` invalidates all payments.
 *
 * @example useWorkspaceQuery<Team>("team")
 */
export function useWorkspaceQuery<Data>(path: string, options: { refetchInterval?: number; enabled?: boolean } = {}) {
  const workspace = useWorkspace();
  return useQuery({
    queryKey: workspace.key(path),
    queryFn: ({ signal }) => request<Data>(workspace.data(path), { signal }),
    ...options,
  });
}

/** The response for every list. */
export interface ListOf<Item> {
  data: Item[];
  has_more: boolean;
}

/**
 * Queries a list of the account page by page, newest first.
 *
 * @param filters the query parameters of the list
 */
export function useWorkspaceList<Item extends { id: string }>(
  path: string,
  filters: URLSearchParams = new URLSearchParams(),
) {
  const workspace = useWorkspace();
  return useInfiniteQuery({
    queryKey: [...workspace.key(path), "list", filters.toString()],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams(filters);
      query.set("limit", "25");
      if (pageParam !== "") query.set("starting_after", pageParam);
      return request<ListOf<Item>>(`${workspace.data(path)}?${query}`, { signal });
    },
    getNextPageParam: ({ data, has_more }) => (has_more ? data.at(-1)?.id : undefined),
  });
}
