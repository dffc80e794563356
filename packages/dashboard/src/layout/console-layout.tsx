/** The layout of the operator's console. Users who aren't operators get the "not found" page. */
import { Box, Text } from "@mantine/core";
import { Redirect, Route, Switch } from "wouter";
import { useMe } from "../api/me.ts";
import { consolePages } from "../console-pages.ts";
import { NotFound } from "../pages/not-found.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Frame } from "./layout.tsx";
import { NarrowLayout } from "./narrow-layout.tsx";
import { NavLinks } from "./nav-links.tsx";
import { UserMenu } from "./user-menu.tsx";

export function ConsoleLayout() {
  const query = useMe();
  const entries = consolePages.flatMap(({ path, entry }) =>
    entry === undefined ? [] : [{ ...entry, to: `/console/${path}` }],
  );
  return (
    <Loaded query={query}>
      {({ is_operator, login }) => {
        if (!login.has_second_factor) return <Redirect to="/second-factor/set-up" replace />;
        if (!is_operator)
          return (
            <NarrowLayout>
              <NotFound />
            </NarrowLayout>
          );
        return (
          <Frame
            home="/console/applications"
            head={
              <>
                <Text fw={600} size="sm">
                  Operator
                </Text>
                <Box flex={1} />
                <UserMenu login={login} />
              </>
            }
            navigation={<NavLinks groups={[{ name: null, entries }]} />}
          >
            <Switch>
              {consolePages.map(({ path, Page }) => (
                <Route key={path} path={`/console/${path}`}>
                  <Page />
                </Route>
              ))}
              <Route>
                <NotFound />
              </Route>
            </Switch>
          </Frame>
        );
      }}
    </Loaded>
  );
}
