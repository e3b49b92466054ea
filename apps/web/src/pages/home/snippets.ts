export interface Snippet {
  key: "new" | "page" | "react" | "moralis" | "parse" | "rest";
  label: string;
  summary: string;
  /** How to install its packages, in a shell. */
  install?: string;
  code: string;
}

export interface SnippetValues {
  serverUrl: string;
  appId: string;
  /** Whether classes are open, as they are in development, so that everyone may save an object. */
  development: boolean;
}

/** Code snippets with this server's URL and app ID. Each shows something when it runs. */
export function snippets({ serverUrl, appId, development }: SnippetValues): readonly Snippet[] {
  const url = JSON.stringify(serverUrl);
  const id = JSON.stringify(appId);
  const packages = `${serverUrl.replace(/\/server$/, "")}/packages`;
  const imported = [...(development ? ["ParseObject", "Query"] : ["Cloud"]), "start"];
  return [
    {
      key: "new",
      label: "New app",
      summary: "A small, typed client library for browsers and Node.js.",
      install: `npm install ${packages}/client.tgz`,
      code: development
        ? `// hello.mjs
import { ParseObject, Query, start } from "@purse/client";

await start({
  serverUrl: ${url},
  appId: ${id},
});

await new ParseObject("Greeting", { text: "Hello" }).save();
for (const greeting of await new Query("Greeting").find())
  console.log(greeting.createdAt, greeting.get("text"));`
        : `// hello.mjs
import { Cloud, start } from "@purse/client";

await start({
  serverUrl: ${url},
  appId: ${id},
});

console.log(await Cloud.run("getServerTime"));`,
    },
    {
      key: "page",
      label: "Page",
      summary: development
        ? "A page without a build: save it as a file, and open it in two windows."
        : "A page without a build: save it as a file, and open it in a browser.",
      code: `<!doctype html>
<button id="add">Say hello</button>
<ul id="list"></ul>
<script type="module">
  import { ${imported.join(", ")} } from "${packages}/client.js";

  await start({
    serverUrl: ${url},
    appId: ${id},
  });

  const show = (text) => {
    list.append(Object.assign(document.createElement("li"), { textContent: text }));
  };${
    development
      ? `
  const greetings = new Query("Greeting");
  for (const greeting of await greetings.find()) show(greeting.get("text"));
  const live = await greetings.subscribe();
  live.on("create", (greeting) => show(greeting.get("text")));
  add.onclick = () => new ParseObject("Greeting", { text: \`Hello at \${Date()}\` }).save();`
      : `
  add.onclick = async () => show(JSON.stringify(await Cloud.run("getServerTime")));`
  }
</script>`,
    },
    {
      key: "react",
      label: "React",
      summary: "Hooks for accounts, wallets, live data and chains.",
      install: `npm install ${packages}/react.tgz react react-dom`,
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
      summary: "Change the server URL and the application id; your existing packages keep working.",
      code: `import Moralis from "moralis";

await Moralis.start({
  serverUrl: ${url},
  appId: ${id},
});

console.log(await Moralis.Cloud.run("getServerTime"));`,
    },
    {
      key: "parse",
      label: "Parse",
      summary: "Any Parse SDK: JavaScript, Swift, Kotlin, Flutter, PHP, .NET.",
      install: "npm install parse",
      code: `const Parse = require("parse/node"); // in browsers: "parse"

Parse.initialize(${id});
Parse.serverURL = ${url};

Parse.Cloud.run("getServerTime").then(console.log);`,
    },
    {
      key: "rest",
      label: "REST",
      summary: "Everything is plain HTTP under the hood.",
      code: development
        ? `curl -X POST ${serverUrl}/classes/Greeting \\
  -H 'X-Parse-Application-Id: ${appId}' \\
  -H 'Content-Type: application/json' \\
  -d '{"text":"Hello"}'`
        : `curl -X POST ${serverUrl}/functions/getServerTime \\
  -H 'X-Parse-Application-Id: ${appId}'`,
    },
  ];
}
