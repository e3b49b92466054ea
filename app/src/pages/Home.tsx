import { useMoralis } from "@purse/react";
import { Link } from "@tanstack/react-router";
import { CopyButton } from "../design/CopyButton.tsx";
import { useSettings } from "../SettingsContext.tsx";
import { usePageTitle } from "../usePageTitle.ts";

export function Home() {
  usePageTitle("Home");
  const { isAuthenticated } = useMoralis();
  const { appId, serverUrl, chains } = useSettings();
  const fresh = `import { start, ParseObject } from "@purse/client";

await start({
  serverUrl: "${serverUrl}",
  appId: "${appId}",
});
await new ParseObject("Note", { text: "Hello" }).save();`;
  const old = `Moralis.start({
  serverUrl: "${serverUrl}", // the one line to change
  appId: "${appId}",
});`;
  return (
    <>
      <section className="hero">
        <h1>A backend with wallets, of your own.</h1>
        <p>
          Accounts, live data and answers from the chain, served by this machine. Sign in with a wallet or a
          password and look around.
        </p>
        <div className="row">
          <Link to={isAuthenticated ? "/portfolio" : "/sign-in"} className="button primary">
            {isAuthenticated ? "Open your portfolio" : "Sign in"}
          </Link>
          <Link to="/notes" className="button">
            See live data
          </Link>
        </div>
      </section>
      <div className="columns">
        <Snippet title="A new app" text={fresh} about="The client library, typed and small." />
        <Snippet title="An app of old" text={old} about="Built for Moralis v1 or Parse? Change one URL." />
      </div>
      <p className="soft" style={{ marginTop: "1.5rem" }}>
        {chains.length === 0
          ? "No chain is followed yet: set PURSE_CHAIN_ETH_RPC_URL to a node's address."
          : `Following ${chains.map((chain) => `${chain.name} (${chain.id})`).join(", ")}.`}
      </p>
    </>
  );
}

function Snippet({ title, text, about }: { title: string; text: string; about: string }) {
  return (
    <section className="card stack tight" aria-label={title}>
      <div className="row spread">
        <h2>{title}</h2>
        <CopyButton text={text} label={title} />
      </div>
      <p className="soft">{about}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <pre className="snippet" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
