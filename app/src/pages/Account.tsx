import type { User } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Address } from "../design/Address.tsx";
import { Button } from "../design/Button.tsx";
import { Field } from "../design/Field.tsx";
import { EmptyState, ErrorState } from "../design/states.tsx";
import { useToast } from "../design/Toasts.tsx";
import { ThemeSwitch } from "../shell/ThemeSwitch.tsx";
import { usePageTitle } from "../usePageTitle.ts";

export function Account() {
  usePageTitle("Account");
  const { user, isAuthenticated } = useMoralis();
  if (!isAuthenticated || !user) {
    return (
      <>
        <div className="page-head">
          <h1>Account</h1>
        </div>
        <div className="card">
          <EmptyState
            title="You are not signed in"
            action={
              <Link to="/sign-in" search={{ next: "/account" }} className="button primary">
                Sign in
              </Link>
            }
          />
        </div>
      </>
    );
  }
  return <SignedIn user={user} />;
}

function SignedIn({ user }: { user: User }) {
  const { logout, isLoggingOut, authError } = useMoralis();
  return (
    <>
      <div className="page-head">
        <h1>Account</h1>
        <span className="row">
          <ThemeSwitch />
          <Button busy={isLoggingOut} onClick={() => void logout()}>
            Sign out
          </Button>
        </span>
      </div>
      {authError ? <ErrorState error={authError} /> : null}
      <div className="columns">
        <Profile key={user.id} user={user} />
        <Addresses user={user} />
      </div>
    </>
  );
}

function Profile({ user }: { user: User }) {
  const { setUserData, isUserUpdating, userError } = useMoralis();
  const toast = useToast();
  const [username, setUsername] = useState(textOf(user.get("username")));
  const [email, setEmail] = useState(textOf(user.get("email")));
  async function save(event: FormEvent) {
    event.preventDefault();
    const saved = await setUserData({ username, ...(email !== "" && { email }) });
    if (saved) toast("Profile saved");
  }
  return (
    <form className="card stack" onSubmit={save} aria-label="Profile">
      <h2>Profile</h2>
      <Field
        label="Username"
        autoComplete="username"
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <Field
        label="E-mail"
        type="email"
        autoComplete="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        hint="Only you see it."
      />
      {userError ? <ErrorState error={userError} /> : null}
      <div>
        <Button type="submit" look="primary" busy={isUserUpdating}>
          Save profile
        </Button>
      </div>
    </form>
  );
}

function Addresses({ user }: { user: User }) {
  const accounts: unknown = user.get("accounts");
  const primary = textOf(user.get("ethAddress"));
  const addresses = Array.isArray(accounts) ? accounts.filter((each) => typeof each === "string") : [];
  return (
    <section className="card stack" aria-labelledby="addresses">
      <h2 id="addresses">Linked wallets</h2>
      {addresses.length === 0 ? (
        <EmptyState title="No wallet linked">Sign in with a wallet to have one here.</EmptyState>
      ) : (
        <ul className="list">
          {addresses.map((address) => (
            <li key={address} className="row">
              <Address address={address} copy />
              {address === primary && <span className="tag">Current</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
