import type { User } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Button, EmptyState, ErrorState, SkeletonList, Tabs, useTranslation } from "@purse/ui";
import { QueryClientProvider } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { queryClient } from "../../query/useServerQuery.ts";
import { usePageTitle } from "../../usePageTitle.ts";
import { DeleteAccount } from "./DeleteAccount.tsx";
import { MyData } from "./MyData.tsx";
import { Notifications } from "./Notifications.tsx";
import { OwnPasskeys } from "./OwnPasskeys.tsx";
import { Password } from "./Password.tsx";
import { Profile } from "./Profile.tsx";
import { Sessions } from "./Sessions.tsx";
import { hasSecondFactor, TwoFactor } from "./TwoFactor.tsx";
import type { AccountTab } from "./tabs.ts";
import { Wallets } from "./Wallets.tsx";
import "./Account.css";

/** The account page: profile, sign-in methods, sessions and data. */
export function Account() {
  usePageTitle("Account");
  const { t } = useTranslation();
  const { user, isAuthUndefined } = useMoralis();
  if (user)
    return (
      // The shared components for accounts use the client of this context.
      <QueryClientProvider client={queryClient}>
        <SignedIn key={user.id} user={user} />
      </QueryClientProvider>
    );
  return (
    <>
      <div className="page-head">
        <h1>{t("Account")}</h1>
      </div>
      <div className="card">
        {isAuthUndefined ? (
          <SkeletonList label={t("Loading")} />
        ) : (
          <EmptyState
            title={t("You are not signed in")}
            action={
              <Link to="/sign-in" search={{ next: "/account" }} className="button primary">
                {t("Sign in")}
              </Link>
            }
          />
        )}
      </div>
    </>
  );
}

function SignedIn({ user }: { user: User }) {
  const { t } = useTranslation();
  const { logout, isLoggingOut, authError } = useMoralis();
  const { tab = "profile" } = useSearch({ from: "/account" });
  const navigate = useNavigate({ from: "/account" });
  const tabs: { key: AccountTab; label: string }[] = [
    { key: "profile", label: t("Profile") },
    { key: "security", label: t("Sign-in methods") },
    { key: "sessions", label: t("Sessions") },
    { key: "data", label: t("My data") },
  ];
  return (
    <>
      <div className="page-head">
        <h1>{t("Account")}</h1>
        <Button busy={isLoggingOut} onClick={() => void logout()}>
          {t("Sign out")}
        </Button>
      </div>
      {authError ? <ErrorState error={authError} /> : null}
      <Tabs
        label={t("Account sections")}
        tabs={tabs}
        value={tab}
        onChange={(key) => void navigate({ search: { tab: key }, resetScroll: false })}
      >
        {tab === "profile" && (
          <div className="stack">
            <Profile user={user} />
            <Notifications />
          </div>
        )}
        {tab === "security" && (
          <div className="columns account-columns">
            <div className="stack">
              <Wallets user={user} />
              <OwnPasskeys userId={user.id ?? ""} hasFactor={hasSecondFactor(user)} />
            </div>
            <div className="stack">
              <Password user={user} />
              <TwoFactor user={user} />
            </div>
          </div>
        )}
        {tab === "sessions" && <Sessions />}
        {tab === "data" && (
          <div className="columns account-columns">
            <MyData user={user} />
            <DeleteAccount user={user} />
          </div>
        )}
      </Tabs>
    </>
  );
}
