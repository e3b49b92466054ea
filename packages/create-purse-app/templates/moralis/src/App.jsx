import { useEffect } from "react";
import { useMoralis } from "react-moralis";
import { Notes } from "./Notes";
import { Transfer } from "./Transfer";

export function App() {
  const { isInitialized, isAuthenticated, isAuthenticating, authenticate, authError, user, logout } =
    useMoralis();
  const { enableWeb3, isWeb3Enabled, isWeb3EnableLoading } = useMoralis();

  useEffect(() => {
    if (isAuthenticated && !isWeb3Enabled && !isWeb3EnableLoading) enableWeb3();
  }, [isAuthenticated, isWeb3Enabled, isWeb3EnableLoading, enableWeb3]);

  if (!isInitialized) return null;
  if (!isAuthenticated) {
    return (
      <main className="sign-in">
        <h1>my-purse-app</h1>
        <p>Sign in with the wallet of this browser.</p>
        <button
          type="button"
          disabled={isAuthenticating}
          onClick={() => authenticate({ signingMessage: "Sign in to my-purse-app" })}
        >
          Sign in with MetaMask
        </button>
        {authError && <p role="alert">{authError.message}</p>}
      </main>
    );
  }
  return (
    <>
      <header>
        <strong>my-purse-app</strong>
        <code>{user.get("ethAddress")}</code>
        <button type="button" onClick={() => logout()}>
          Sign out
        </button>
      </header>
      <main>
        <Notes />
        <Transfer />
      </main>
    </>
  );
}
