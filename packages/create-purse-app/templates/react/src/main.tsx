import { MoralisProvider } from "@purse/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./components/App";
import { announceLocalWallet } from "./localWallet";
import "./styles.css";

const {
  DEV,
  VITE_PURSE_URL = "http://127.0.0.1:1337/server",
  VITE_PURSE_APP_ID = "my-purse-app",
} = import.meta.env;

if (DEV) announceLocalWallet();

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <MoralisProvider serverUrl={VITE_PURSE_URL} appId={VITE_PURSE_APP_ID}>
      <App />
    </MoralisProvider>
  </StrictMode>,
);
