export interface Snippet {
  key: "new" | "react" | "moralis" | "parse" | "rest";
  label: string;
  summary: string;
  /** How to install its packages, in a shell. */
  install?: string;
  code: string;
}

/** The packages are built by a checkout, so that they fit its server. */
const installFrom = (...packages: string[]) =>
  `(cd ../purse && npm run packages) # where Purse is\nnpm install --install-links ${packages
    .map((name) => `../purse/.cache/packages/${name}`)
    .join(" ")}`;

/** Code snippets with this server's URL and app ID. */
export function snippets(serverUrl: string, appId: string): readonly Snippet[] {
  const url = JSON.stringify(serverUrl);
  const id = JSON.stringify(appId);
  return [
    {
      key: "new",
      label: "New app",
      summary: "A small, typed client library for browsers and Node.js.",
      install: installFrom("protocol", "client"),
      code: `import { ParseObject, Query, start } from "@purse/client";

await start({
  serverUrl: ${url},
  appId: ${id},
});

await new ParseObject("Note", { text: "Hello" }).save();
const notes = await new Query("Note").find();`,
    },
    {
      key: "react",
      label: "React",
      summary: "Hooks for accounts, wallets, live data and chains.",
      install: `${installFrom("protocol", "client", "react")} react react-dom`,
      code: `import { MoralisProvider, useMoralis } from "@purse/react";

export const App = () => (
  <MoralisProvider
    serverUrl=${url}
    appId=${id}
  >
    <Hello />
  </MoralisProvider>
);

function Hello() {
  const { authenticate, isAuthenticated, account } = useMoralis();
  return isAuthenticated
    ? <p>Hello, {account}</p>
    : <button onClick={() => authenticate()}>Sign in</button>;
}`,
    },
    {
      key: "moralis",
      label: "Moralis v1",
      summary: "Change one URL; your existing packages keep working.",
      code: `import Moralis from "moralis";

await Moralis.start({
  serverUrl: ${url}, // the line to change
  appId: ${id},
});`,
    },
    {
      key: "parse",
      label: "Parse",
      summary: "Any Parse SDK: JavaScript, Swift, Kotlin, Flutter, PHP, .NET.",
      install: "npm install parse",
      code: `import Parse from "parse";

Parse.initialize(${id});
Parse.serverURL = ${url}; // the line to change`,
    },
    {
      key: "rest",
      label: "REST",
      summary: "Everything is plain HTTP under the hood.",
      code: `curl -X POST ${serverUrl}/classes/Note \\
  -H 'X-Parse-Application-Id: ${appId}' \\
  -H 'Content-Type: application/json' \\
  -d '{"text":"Hello"}'`,
    },
  ];
}
