import { MoralisProvider } from "@purse/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./components/App";
import { announceLocalWallet } from "./localWallet";
import "./styles.css";

const SERVER_URL = import.meta.env.VITE_PURSE_URL ?? "http://127.0.0.1:1337/server";
const APP_ID = import.meta.env.VITE_PURSE_APP_ID ?? "my-purse-app";

if (import.meta.env.DEV) announceLocalWallet();

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <MoralisProvider serverUrl={SERVER_URL} appId={APP_ID}>
      <App />
    </MoralisProvider>
  </StrictMode>,
);
