/**
 * The layout of an account's pages. Shows the "not found" page to users who aren't members of the account's team, so
 * they can't tell whether the account exists.
 */
import { Alert, Box } from "@mantine/core";
import { useMemo } from "react";
import { Redirect, Route, Switch } from "wouter";
import type { Me, Membership } from "@oriel/protocol/dashboard/sign-in";
import { accountPages } from "../account-pages.ts";
import { useMe } from "../api/me.ts";
import { createWorkspace, WorkspaceProvider, type Workspace, type Mode } from "../api/workspace.tsx";
import { NotFound } from "../pages/not-found.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { AccountNavigation } from "./account-navigation.tsx";
import { CardTestingAlert } from "./card-testing-alert.tsx";
import { Frame } from "./layout.tsx";
import { ModeBar, ModeSwitch } from "./mode-switch.tsx";
import { NarrowLayout } from "./narrow-layout.tsx";
import { UserMenu } from "./user-menu.tsx";

export function AccountLayout({ accountId, mode }: { accountId: string; mode: string }) {
  const query = useMe();
  return (
    <Loaded query={query}>
      {(me) => {
        const membership = me.memberships.find(({ account_id }) => account_id === accountId);
        if (!me.login.has_second_factor) return <Redirect to="/second-factor/set-up" replace />;
        if (membership === undefined || (mode !== "test" && mode !== "live"))
          return (
            <NarrowLayout>
              <NotFound />
            </NarrowLayout>
          );
        return <WorkspaceLayout me={me} membership={membership} mode={mode} />;
      }}
    </Loaded>
  );
}

function WorkspaceLayout({ me, membership, mode }: { me: Me; membership: Membership; mode: Mode }) {
  const workspace = useMemo(() => createWorkspace(me, membership, mode), [me, membership, mode]);
  const pages = accountPages.filter(({ needs }) => workspace.may(needs));
  return (
    <WorkspaceProvider value={workspace}>
      <Frame
        bar={<ModeBar mode={mode} />}
        home={workspace.href("overview")}
        head={
          <>
            <AccountMenu />
            <Box flex={1} />
            <ModeSwitch />
            <UserMenu login={me.login} />
          </>
        }
        navigation={<AccountNavigation pages={pages} />}
      >
        <Notices workspace={workspace} />
        <CardTestingAlert show="ongoing" />
        <Switch>
          {pages.map(({ path, Page }) => (
            <Route key={path} path={`/:account/:mode/${path}`}>
              <Page />
            </Route>
          ))}
          <Route path="/:account/:mode/">
            <Redirect to={workspace.href("overview")} replace />
          </Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Frame>
    </WorkspaceProvider>
  );
}

/** Messages about the account that appear on all of its pages. */
function Notices({ workspace: { membership, mode, me } }: { workspace: Workspace }) {
  if (membership.status === "suspended")
    return (
      <Alert color="red" variant="outline" mb="md" title="This account is suspended">
        You can't make changes, and API keys don't work. Contact the operator of this service.
      </Alert>
    );
  if (mode === "live" && !membership.is_live_approved)
    return (
      <Alert color="gray" variant="outline" mb="md" title="Live mode isn't available yet">
        You can take live payments once your application is approved. Until then, use test mode.
      </Alert>
    );
  if (mode === "live" && !me.live)
    return (
      <Alert color="gray" variant="outline" mb="md" title="This service takes test payments only">
        You can create live API keys, but live requests fail until the operator of this service turns on live payments.
      </Alert>
    );
  return null;
}
