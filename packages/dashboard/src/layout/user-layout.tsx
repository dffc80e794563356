/**
 * The layout of pages that belong to the user rather than to an account. Its navigation leads back to the start page.
 */
import { Box } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Redirect } from "wouter";
import { homeOf, useMe } from "../api/me.ts";
import { Loaded } from "../parts/loaded.tsx";
import { Frame } from "./layout.tsx";
import { NavLinks } from "./nav-links.tsx";
import { UserMenu } from "./user-menu.tsx";

export function UserLayout({ children }: { children: ReactNode }) {
  const query = useMe();
  return (
    <Loaded query={query}>
      {(me) => {
        if (!me.login.has_second_factor) return <Redirect to="/second-factor/set-up" replace />;
        const back = me.is_operator ? "Console" : (me.memberships[0]?.account_name ?? "Home");
        return (
          <Frame
            home={homeOf(me)}
            head={
              <>
                <Box flex={1} />
                <UserMenu login={me.login} />
              </>
            }
            navigation={
              <NavLinks groups={[{ name: null, entries: [{ name: back, to: homeOf(me), Icon: IconArrowLeft }] }]} />
            }
          >
            {children}
          </Frame>
        );
      }}
    </Loaded>
  );
}
