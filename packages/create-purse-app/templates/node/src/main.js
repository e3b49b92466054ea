import { setTimeout as pause } from "node:timers/promises";
import { authenticate, ParseObject, Query, start } from "@purse/client";
import settings from "../purse.config.ts";

const port = process.env.PURSE_PORT ?? settings.port;
const chainPort = process.env.PURSE_DEV_CHAIN_PORT ?? settings.devChainPort;
const url = process.env.PURSE_URL ?? `http://127.0.0.1:${port}/server`;
// Everybody knows this key: it is that of a funded account of the local chain.
const privateKey =
  process.env.PRIVATE_KEY ?? "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

// Purse starts beside this script.
while (
  !(await fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  ))
)
  await pause(500);

await start({ serverUrl: url, appId: settings.appId, tracksCurrentUser: true });
const user = await authenticate({
  provider: "keystore",
  rpcUrl: `http://127.0.0.1:${chainPort}`,
  privateKey,
});
console.log(`signed in as ${user.get("ethAddress")}`);

const notes = new Query("Note").ascending("createdAt");
for (const note of await notes.find()) show(note);
(await notes.subscribe()).on("create", show);

await new ParseObject("Note", { text: `started at ${new Date().toLocaleTimeString()}` }).save();

function show(note) {
  console.log(`${note.get("author")}: ${note.get("text")}`);
}
