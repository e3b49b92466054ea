import React from "react";
import { createRoot } from "react-dom/client";
import { MoralisProvider } from "react-moralis";
import { App } from "./App";
import { announceLocalWallet } from "./localWallet";
import "./styles.css";

// The only lines that a migration changes: where the server is, and its application id.
const SERVER_URL = import.meta.env.VITE_MORALIS_SERVER_URL ?? "http://127.0.0.1:1337/server";
const APP_ID = import.meta.env.VITE_MORALIS_APPLICATION_ID ?? "my-purse-app";

if (import.meta.env.DEV) announceLocalWallet();

createRoot(document.getElementById("root")).render(
  <React.StrictMode>
    <MoralisProvider serverUrl={SERVER_URL} appId={APP_ID}>
      <App />
    </MoralisProvider>
  </React.StrictMode>,
);
