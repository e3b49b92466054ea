"use client";

import { MoralisProvider } from "@purse/react";
import { useEffect } from "react";
import { App } from "../components/App";
import { announceLocalWallet } from "../localWallet";

const SERVER_URL = process.env.NEXT_PUBLIC_PURSE_URL ?? "http://127.0.0.1:1337/server";
const APP_ID = process.env.NEXT_PUBLIC_PURSE_APP_ID ?? "my-purse-app";

/** The part of the page that runs in the browser. */
export function PurseApp() {
  useEffect(() => {
    if (process.env.NODE_ENV === "development") announceLocalWallet();
  }, []);

  return (
    <MoralisProvider serverUrl={SERVER_URL} appId={APP_ID}>
      <App />
    </MoralisProvider>
  );
}
