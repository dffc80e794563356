/**
 * The routes of the dashboard. The pages of an account are in `account-pages.ts`, those of the console in
 * `console-pages.ts`.
 */
import { Redirect, Route, Switch } from "wouter";
import { homeOf, noAccountPath, useMe } from "./api/me.ts";
import { AccountLayout } from "./layout/account-layout.tsx";
import { ConsoleLayout } from "./layout/console-layout.tsx";
import { NarrowLayout } from "./layout/narrow-layout.tsx";
import { UserLayout } from "./layout/user-layout.tsx";
import { lazyPage } from "./lazy-page.ts";
import { NotFound } from "./pages/not-found.tsx";
import { Loaded } from "./parts/loaded.tsx";

const narrow = [
  { path: "/sign-in", Page: lazyPage(() => import("./pages/sign-in/sign-in.tsx"), "SignIn") },
  { path: "/sign-up", Page: lazyPage(() => import("./pages/sign-in/sign-up.tsx"), "SignUp") },
  { path: "/verify-email", Page: lazyPage(() => import("./pages/sign-in/verify-email.tsx"), "VerifyEmail") },
  { path: "/forgot-password", Page: lazyPage(() => import("./pages/sign-in/forgot-password.tsx"), "ForgotPassword") },
  { path: "/choose-password", Page: lazyPage(() => import("./pages/sign-in/reset-password.tsx"), "ChoosePassword") },
  { path: "/reset-password", Page: lazyPage(() => import("./pages/sign-in/reset-password.tsx"), "ResetPassword") },
  {
    path: "/second-factor/set-up",
    Page: lazyPage(() => import("./pages/sign-in/set-up-second-factor.tsx"), "SetUpSecondFactor"),
  },
  { path: "/invitation", Page: lazyPage(() => import("./pages/sign-in/invitation.tsx"), "Invitation") },
];
const personal = [
  { path: "/security", Page: lazyPage(() => import("./pages/sign-in/security.tsx"), "Security") },
  { path: noAccountPath, Page: lazyPage(() => import("./pages/sign-in/no-account.tsx"), "NoAccount") },
];

export function App() {
  return (
    <Switch>
      <Route path="/">
        <Home />
      </Route>
      {narrow.map(({ path, Page }) => (
        <Route key={path} path={path}>
          <NarrowLayout>
            <Page />
          </NarrowLayout>
        </Route>
      ))}
      {personal.map(({ path, Page }) => (
        <Route key={path} path={path}>
          <UserLayout>
            <Page />
          </UserLayout>
        </Route>
      ))}
      <Route path="/console/*?">
        <ConsoleLayout />
      </Route>
      <Route path="/:account/:mode/*?">
        {({ account, mode }) => <AccountLayout accountId={account} mode={mode} />}
      </Route>
      <Route>
        <NarrowLayout>
          <NotFound />
        </NarrowLayout>
      </Route>
    </Switch>
  );
}

/** Redirects users to their start page. */
function Home() {
  const me = useMe();
  return <Loaded query={me}>{(me) => <Redirect to={homeOf(me)} replace />}</Loaded>;
}
