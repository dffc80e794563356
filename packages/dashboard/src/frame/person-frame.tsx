/** Around what belongs to the reader and no account: the way back to where they belong, and the page. */
import { Box } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Redirect } from "wouter";
import { homeOf, useMe } from "../api/me.ts";
import { Loaded } from "../parts/loaded.tsx";
import { Frame } from "./frame.tsx";
import { NavLinks } from "./nav-links.tsx";
import { PersonMenu } from "./person-menu.tsx";

export function PersonFrame({ children }: { children: ReactNode }) {
  const query = useMe();
  return (
    <Loaded query={query}>
      {(me) => {
        if (!me.login.has_second_factor) return <Redirect to="/second-factor/set-up" replace />;
        const back = me.is_operator ? "The console" : (me.memberships[0]?.account_name ?? "Beginning");
        return (
          <Frame
            home={homeOf(me)}
            head={
              <>
                <Box flex={1} />
                <PersonMenu login={me.login} />
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
