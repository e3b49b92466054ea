import { useMoralis } from "@purse/react";
import { Address } from "./Address";
import { Notes } from "./Notes";
import { SendCoins } from "./SendCoins";
import { SignIn } from "./SignIn";

export function App() {
  const { isInitialized, initializeError, isAuthUndefined, user, logout } = useMoralis();

  if (initializeError) return <p role="alert">{initializeError.message}</p>;
  if (!isInitialized || isAuthUndefined) return null;
  if (!user) return <SignIn />;
  return (
    <>
      <header>
        <strong>my-purse-app</strong>
        <Address value={user.get("ethAddress")} />
        <button type="button" onClick={() => logout()}>
          Sign out
        </button>
      </header>
      <main>
        <Notes />
        <SendCoins />
      </main>
    </>
  );
}
