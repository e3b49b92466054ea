import { Tabs } from "@base-ui/react/tabs";
import { useMoralis } from "@purse/react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { usePageTitle } from "../usePageTitle.ts";
import { PasswordSignIn } from "./PasswordSignIn.tsx";
import { WalletSignIn } from "./WalletSignIn.tsx";

export function SignIn() {
  usePageTitle("Sign in");
  const { isAuthenticated } = useMoralis();
  const { next } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  useEffect(() => {
    // Who has signed in goes where they wanted to, on this server only.
    if (isAuthenticated)
      void navigate({
        href: next?.startsWith("/") && !next.startsWith("//") ? next : "/portfolio",
        replace: true,
      });
  }, [isAuthenticated, navigate, next]);
  return (
    <div className="narrow">
      <div className="page-head">
        <h1>Sign in</h1>
      </div>
      <Tabs.Root defaultValue="wallet" className="card stack">
        <Tabs.List className="tabs-list" aria-label="How to sign in">
          <Tabs.Tab value="wallet" className="tab">
            Wallet
          </Tabs.Tab>
          <Tabs.Tab value="password" className="tab">
            Password
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="wallet" keepMounted>
          <WalletSignIn />
        </Tabs.Panel>
        <Tabs.Panel value="password" keepMounted>
          <PasswordSignIn />
        </Tabs.Panel>
      </Tabs.Root>
    </div>
  );
}
