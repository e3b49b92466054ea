import { useMoralis, useWallets } from "@purse/react";

export function SignIn() {
  const { authenticate, isAuthenticating, authError } = useMoralis();
  const { wallets } = useWallets();

  return (
    <main className="sign-in">
      <h1>my-purse-app</h1>
      <p>{wallets.length > 0 ? "Sign in with a wallet." : "Install a wallet to sign in."}</p>
      {wallets.map(({ uuid, rdns, name, icon }) => (
        <button
          key={uuid}
          type="button"
          disabled={isAuthenticating}
          onClick={() => authenticate({ provider: "injected", uuid, rdns, siwe: true })}
        >
          <img src={icon} alt="" width={24} height={24} />
          {name}
        </button>
      ))}
      {authError && <p role="alert">{authError.message}</p>}
    </main>
  );
}
