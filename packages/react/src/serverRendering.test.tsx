// @vitest-environment node
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { Suspense } from "react";
import { renderToPipeableStream, renderToString } from "react-dom/server";
import { expect, it } from "vitest";
import {
  MoralisProvider,
  useChain,
  useEnsAddress,
  useERC20Balances,
  useInfiniteMoralisQuery,
  useMoralis,
  useMoralisCloudFunction,
  useMoralisSubscription,
  useSessions,
  useSuspenseMoralisQuery,
  useTransaction,
  useUpload,
  useWallets,
} from "./index.ts";

/* This file has no window and no document: it stands for a server that renders pages. */

function Page() {
  useMoralisSubscription("Note");
  return (
    <pre>
      {JSON.stringify({
        signedIn: useMoralis().isAuthenticated,
        wallets: useWallets().wallets,
        chain: useChain().chain,
        notes: useInfiniteMoralisQuery("Note").data,
        tokens: useERC20Balances().data,
        answer: useMoralisCloudFunction("hello").data,
        name: useEnsAddress("0x1").name,
        sessions: useSessions().sessions,
        progress: useUpload().progress,
        transaction: useTransaction("0x2").status,
      })}
    </pre>
  );
}

function Notes() {
  return <p>{useSuspenseMoralisQuery("Note").data.length}</p>;
}

it("the hooks render without window in their initial state, and send no requests", () => {
  expect(typeof window).toBe("undefined");
  const html = renderToString(
    <MoralisProvider appId="app" serverUrl="http://127.0.0.1:1/server">
      <Page />
      <Suspense fallback={<p>waiting</p>}>
        <Notes />
      </Suspense>
    </MoralisProvider>,
  );
  const [, text = ""] = /<pre>(.*)<\/pre>/.exec(html) ?? [];
  expect(JSON.parse(text.replaceAll("&quot;", '"'))).toEqual({
    signedIn: false,
    wallets: [],
    chain: null,
    notes: [],
    tokens: null,
    answer: null,
    name: null,
    sessions: [],
    progress: 0,
    transaction: "unknown",
  });
  expect(html).toContain("waiting");
});

it("streamed pages end with the Suspense fallback for queries, which run only in browsers", async () => {
  const errors: unknown[] = [];
  const body = new PassThrough();
  const stream = renderToPipeableStream(
    <MoralisProvider appId="app" serverUrl="http://127.0.0.1:1/server">
      <Suspense fallback={<p>waiting</p>}>
        <Notes />
      </Suspense>
    </MoralisProvider>,
    { onError: (error) => void errors.push(error), onShellReady: () => void stream.pipe(body) },
  );
  expect(await text(body)).toContain("<p>waiting</p>");
  expect(errors).toMatchObject([{ name: "ReactMoralisError", message: "Queries run only in browsers" }]);
});
